/** Introduction of every archive. */
const COMMON = `Files that end in .ndjson have a JSON object a line, a row each; where there are many, they go on in name-2.ndjson
and so on. Their members bear the names that the API has for them, moments are ISO 8601. A secret is shown as
********, wherever one was set. The archive was read while it was sent: what changed meanwhile may be in it as it was
before or after. It is whole when a tar program reads it to its end without a complaint.
`;

export const PROJECT_README = `Everything that this project owns.

${COMMON}
project.json              the project
files.ndjson              its files; their bytes are in files/<file id>/<name>
pipelines.ndjson          its pipelines; for each a folder pipelines/<pipeline id>/ with
  files.ndjson              the files in it, by file_id
  documents.ndjson          the texts that were put into it; long ones in texts/, named in text_file
  data_sources.ndjson       what it reads, and when
  jobs.ndjson               runs of its sync
retrievers, data_sinks, data_sources, embedding_model_configs, configurations, webhook_configs, model_settings
                          what was set up, each in a file of that name
parse_jobs, extract_jobs, classify_jobs
                          jobs with their results; large results are in jobs/<job id>/result.json
parsed/<content hash>/    what was read from files, by the content_hash of files and parse jobs: pages/ has the pages as
                          JSON, screenshots/ and small-screenshots/ their pictures, figures/ and layout/ parts of them,
                          readings/ what models wrote of them
webhook_deliveries        what endpoints were told
usage, daily_usage, model_usage
                          what was counted
api_keys.ndjson           the keys that reach this project alone, without what opens with them

Not in it: the search index, which is made from all this; conversations, which belong to those who had them and are in
their own exports; members of the organization; what was deleted. Bytes that a row names and that are gone have a file
that ends in .missing in their place.
`;

export const PERSON_README = `What belongs to one person in one organization.

${COMMON}
membership.json           the name, address and role that the organization has given
api_keys.ndjson           keys that act for the person, without what opens with them
conversations/<id>/       each conversation with a pipeline or a retriever: session.json, and messages.ndjson in order
parse_jobs, extract_jobs, classify_jobs
                          the jobs that the person has begun, with small results; large ones are with the project

Not in it: files, pipelines and what else is made in a project, for which no maker is written down; they are in the
project's export. What the person has in other organizations is exported there.
`;
