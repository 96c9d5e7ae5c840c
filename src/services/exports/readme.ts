/** Part of the README that is the same in every archive. */
const COMMON_README = `Files that end in .ndjson contain one JSON object per line, one line per row. Long lists continue in name-2.ndjson
and so on. Field names are those of the API, and times are in ISO 8601. Every secret is replaced by ********. The archive
was written while the service was running, so a row that changed during the export may be in its old or its new state. The
archive is complete if a tar program reads it to the end without an error.
`;

export const PROJECT_README = `Everything that this project owns.

${COMMON_README}
project.json              the project
files.ndjson              its files; their content is in files/<file id>/<name>
pipelines.ndjson          its pipelines; each has a folder pipelines/<pipeline id>/ with
  files.ndjson              the files in the pipeline, by file_id
  documents.ndjson          the texts that were inserted; long texts are in texts/, see text_file
  data_sources.ndjson       the data sources that it reads, with their schedules
  jobs.ndjson               its sync runs
  retrieval_presets.ndjson  its named retrieval parameters
  directory_indexes.ndjson  the directory whose files it indexes, if it was created as an index
retrievers, data_sinks, data_sources, embedding_model_configs, configurations, webhook_configs, model_settings
                          resources and settings, each kind in a file with its name
parse_jobs, extract_jobs, classify_jobs, split_jobs, sheets_jobs
                          jobs with their results; large results are in jobs/<job id>/result.json
parsed/<content hash>/    parse results, by the content_hash of files and parse jobs: pages/ has the pages as JSON
                          (those of a small file together with its summary),
                          screenshots/ and small-screenshots/ have images of pages, figures/ and layout/ have images of
                          parts of pages, readings/ has the output of models
webhook_deliveries        events that were sent to webhook endpoints
question_sets, questions, evaluation_schedules, evaluation_runs, evaluation_results
                          questions with expected results, and runs that measured retrieval with them
evaluation_sweeps, sweep_results
                          searches for better settings, with the measures of each question
truth_sets, truths, accuracy_runs, accuracy_results
                          expected values and types of files, and runs that measured extraction and classification
directories, directory_files
                          directories and the files in them
agent_collections, agent_data
                          collections of JSON objects that agents keep, and the objects
usage, daily_usage, model_usage
                          usage records
api_keys.ndjson           API keys that are limited to this project, without the keys themselves

Not included: the search index, which can be rebuilt from this data; conversations, which are in the exports of their
users; members of the organization; deleted data. If the content of a file or text is missing, the archive has a file that
ends in .missing in its place.
`;

export const PERSON_README = `Data of one member in one organization.

${COMMON_README}
membership.json           the name, e-mail address and role in the organization
api_keys.ndjson           API keys that act for the member, without the keys themselves
identities.ndjson         accounts at identity providers with which the member signs in: issuer and subject
connected_applications.ndjson
                          applications that the member connected with OAuth, without their tokens
conversations/<id>/       one folder per conversation with a pipeline or retriever: session.json, and messages.ndjson in
                          order
session_chats/<project id>/
                          session chats of LlamaCloud's clients: sessions.ndjson, and turns.ndjson with their questions and
                          answers
traces.ndjson             questions of the member that were recorded as traces, with the ratings and comments, but without
                          the answers
parse_jobs, extract_jobs, classify_jobs, split_jobs, sheets_jobs
                          jobs that the member created, with small results; large results are in the project's export

Not included: files, pipelines and other resources of projects, for which no creator is stored; they are in the project's
export. Data of the member in other organizations is exported by those organizations.
`;
