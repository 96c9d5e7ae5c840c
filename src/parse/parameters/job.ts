import { SCHEMA_NAMES } from '#src/json-schema/named-schemas/index.ts';
import { checkSchema, formatIssues, SCHEMA_LIMITS } from '#src/json-schema/rules.ts';
import { webhookConfigurations, webhookUrl } from '#src/webhook-protocol/configuration.ts';
import { checkedText, flag, oneOf, parameter, seconds, text } from './define.ts';
import { isAddress } from './model.ts';

const UPLOADED = 'Files enter a pipeline through the file operations; a parse job fetches a URL.';
const SYNCED = 'A bucket data source brings its files into a pipeline; a parse job fetches one object.';
const SEARCHED = 'Files of a pipeline are read for search; parse and extract jobs deliver structured output.';
const NOT_WANTED = 'structured_output is false, so there is no structured output.';

const explainHttpUrl = (url: string) =>
  webhookUrl.safeParse(url).success ? undefined : 'must be an http(s) URL';

const explainSchemaName = (name: string) =>
  SCHEMA_NAMES.includes(name) ? undefined : `must be one of ${SCHEMA_NAMES.join(', ')}`;

function explainJson(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null ? undefined : 'must be a JSON object or array';
  } catch {
    return 'must be JSON';
  }
}

function explainSchema(source: string): string | undefined {
  const most = SCHEMA_LIMITS.rawCharacters;
  if (source.length > most) return `has ${source.length} characters, at most ${most} are allowed`;
  const problem = explainJson(source);
  if (problem) return problem;
  const check = checkSchema(JSON.parse(source));
  return check.ok ? undefined : formatIssues(check.issues);
}

/** Parameters that determine which file a job reads, when and for how long, and who is notified. */
export const jobParameters = {
  input_url: checkedText('URL', explainHttpUrl, {
    effect: 'input',
    description:
      'URL of the file that a parse job reads. Rejected with 422 together with `file_id` or `url`. Secrets in the URL are protected.',
    withoutEffectInPipelines: UPLOADED,
  }),
  input_bucket_path: text({
    effect: 'input',
    description:
      'Object in a bucket that a parse job reads: `bucket/key`, with or without a scheme, see [jobs](jobs.md). Refused with 422 together with another input.',
    withoutEffectInPipelines: SYNCED,
  }),
  input_bucket_region: text({
    effect: 'input',
    description:
      'Region for which the first request to `input_bucket_path` is signed. If the store names another region, the request is repeated there.',
    withoutEffect: (_named, { input_bucket_path }) =>
      input_bucket_path ? undefined : 'A region is given, but input_bucket_path names no bucket.',
    withoutEffectInPipelines: SYNCED,
  }),
  http_proxy: checkedText('URL', (url) => (isAddress(url) ? undefined : 'must be a URL'), {
    effect: 'none',
    sharesParse: true,
    description:
      'No effect: this runtime cannot send requests through a proxy. A parse job that fetches a URL refuses it with 422. Credentials in the URL are protected as secrets.',
    withoutEffect:
      'No URL is fetched. A job that fetches a URL refuses this parameter, because this runtime cannot use a proxy.',
  }),
  priority: oneOf(['critical', 'high', 'low', 'medium'], {
    effect: 'scheduling',
    sharesParse: true,
    default: '`medium`',
    description: 'Order of the waiting parse jobs of a project, see [jobs](jobs.md).',
    withoutEffectInPipelines:
      'Files of a pipeline are read in the order of their arrival; only parse jobs have a priority.',
  }),
  do_not_cache: flag({
    effect: 'scheduling',
    sharesParse: true,
    description:
      'Parses the file again whenever it is indexed, instead of using the parse of an earlier sync.',
  }),
  invalidate_cache: flag({
    effect: 'scheduling',
    description: 'Same as `do_not_cache`. Setting it on a pipeline indexes every file again.',
  }),
  job_timeout_in_seconds: seconds({
    description:
      'A parse that takes longer fails with `TIMEOUT`. The time is checked after each page and includes waiting for other parses. In a pipeline, each part of a file of more than 64 pages has this time. 0 applies the limits of the installation.',
  }),
  job_timeout_extra_time_per_page_in_seconds: seconds({
    description: 'Added to `job_timeout_in_seconds` for each page of the document.',
    withoutEffect: (value, { job_timeout_in_seconds: base }) =>
      value && !base ? 'It is added to job_timeout_in_seconds, which is not set.' : undefined,
  }),
  structured_output: flag({
    effect: 'output',
    default: '`true` if there is a schema',
    description:
      'The parse job also delivers JSON made from the pages (`expand=structured`, see [parse jobs](parse-jobs.md#structured-output)): by the schema of the following parameters, or by a schema that is inferred from the document. `false` delivers none.',
    withoutEffectInPipelines: SEARCHED,
  }),
  structured_output_json_schema: checkedText('JSON in a string', explainSchema, {
    effect: 'output',
    description: 'JSON Schema of the structured output, as JSON. The same rules apply as for extract jobs.',
    withoutEffect: (_schema, { structured_output: isWanted }) =>
      isWanted === false ? NOT_WANTED : undefined,
    withoutEffectInPipelines: SEARCHED,
  }),
  structured_output_json_schema_name: checkedText(SCHEMA_NAMES.join(', '), explainSchemaName, {
    effect: 'output',
    description: `Name of a schema for the structured output: ${SCHEMA_NAMES.join(', ')}. \`imFeelingLucky\` infers the schema from the document.`,
    withoutEffect: (_name, { structured_output: isWanted, structured_output_json_schema: schema }) => {
      if (isWanted === false) return NOT_WANTED;
      return schema ? 'structured_output_json_schema gives the schema.' : undefined;
    },
    withoutEffectInPipelines: SEARCHED,
  }),
  webhook_url: checkedText('URL', explainHttpUrl, {
    effect: 'reporting',
    description: 'Endpoint that is notified of every event of the parse, see [webhooks](webhooks.md).',
  }),
  webhook_configurations: parameter('array of objects', webhookConfigurations, {
    effect: 'reporting',
    description:
      'Endpoints that are notified of events of the parse, see [webhooks](webhooks.md). Headers and signing secret are encrypted at rest and masked in answers.',
  }),
  project_id: text({
    effect: 'none',
    sharesParse: true,
    description:
      'No effect: the project of the request applies. The answer warns if this names another project.',
    withoutEffect: (named, _parameters, { projectId }) =>
      named === projectId ? undefined : 'The project of the request applies, which is another one.',
  }),
  internal_is_screenshot_job: flag({
    effect: 'none',
    description: 'No effect: marks internal work of other installations.',
    withoutEffect: 'It marks internal work of other installations, which does not exist here.',
  }),
};
