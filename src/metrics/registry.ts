/** What is counted: upwards for ever, as it is at the moment, or how values are spread. */
export type Metric =
  | { type: 'counter' | 'gauge'; help: string; labels: readonly string[] }
  | { type: 'histogram'; help: string; labels: readonly string[]; buckets: readonly number[] };

/** Upper bounds, seconds: from an answer out of memory to work that is about to be given up. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;

const counter = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: 'counter', help, labels }) as const;
const gauge = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: 'gauge', help, labels }) as const;
const seconds = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: 'histogram', help, labels, buckets: SECONDS }) as const;

/**
 * Every metric there is. The values of a label are words of this service: names of operations, kinds, outcomes,
 * and models as the operator calls them; never a tenant, an id or a path, so that their number is bounded.
 */
export const METRICS = {
  sluice_http_requests_total: counter('Requests answered, by operation; `none`: of no operation.', [
    'method',
    'operation',
    'status',
  ]),
  sluice_http_request_seconds: seconds('From a request to the beginning of its answer.', ['operation']),
  sluice_messages_total: counter(
    'Messages of queues by outcome: `done`, `again` (it failed and comes again), `unreadable`.',
    ['type', 'outcome'],
  ),
  sluice_message_wait_seconds: seconds(
    'How long a message was on its way, with the delay that it was sent with.',
    ['type'],
  ),
  sluice_message_seconds: seconds('How long a message was worked on.', ['type']),
  sluice_dead_letters_total: counter('Messages that failed every time they were delivered.', ['type']),
  sluice_syncs_total: counter('Runs of syncs that ended, by their status.', ['status']),
  sluice_sync_seconds: seconds('From the start of a run to its end.', ['status']),
  sluice_items_total: counter(
    'Items of runs by how an attempt ended: `done`, `failed` (no other attempt would help), `again`, `given_up` (after all attempts).',
    ['outcome'],
  ),
  sluice_sync_work_total: counter(
    'What items did, by the names of the counters of a run: `indexed`, `pages`, `chunks`, `parse_ms` and so on.',
    ['counter'],
  ),
  sluice_jobs_total: counter('Extract, classify and parse jobs that ended, by their status.', [
    'kind',
    'status',
  ]),
  sluice_job_seconds: seconds('From the creation of a job to its end.', ['kind']),
  sluice_job_attempts_failed_total: counter('Attempts of jobs that failed.', ['kind']),
  sluice_model_calls_total: counter('Calls of language models: `answered` or `failed`.', [
    'use',
    'model',
    'outcome',
  ]),
  sluice_model_tokens_total: counter('Tokens of language models, `input` or `output`.', [
    'use',
    'model',
    'direction',
  ]),
  sluice_model_cost_total: counter(
    'What those tokens cost, in the currency of the prices that LLM_MODELS gives; models without a price are left out.',
    ['use', 'model'],
  ),
  sluice_model_seconds: seconds('From a call of a language model to the end of its answer.', [
    'use',
    'model',
  ]),
  sluice_limit_refusals_total: counter(
    'Files, requests and jobs that a limit refused, by the limit: `files`, `bytes`, `pages_per_day`, `concurrent_jobs`, `daily_tokens`, `requests`, `sign_ins`, `wrong_keys`.',
    ['limit'],
  ),
  sluice_webhook_attempts_total: counter(
    'Attempts of webhook deliveries: `delivered`, `failed` (tried again), `dead`.',
    ['outcome'],
  ),
  sluice_expired_total: counter(
    'What was removed because it had expired, by kind: files, contents of parses, jobs, rows.',
    ['kind'],
  ),
  sluice_upstream_requests_total: counter(
    'HTTP requests to others (models, sources, sinks, receivers) by the class of the answer; `none`: there was none.',
    ['status'],
  ),
  sluice_upstream_seconds: seconds('From such a request to the beginning of its answer.', ['status']),
  sluice_object_calls_total: counter(
    'Calls of Durable Objects, shards of indexes among them: `ok` or `failed`.',
    ['object', 'method', 'outcome'],
  ),
  sluice_object_call_seconds: seconds('How long such a call was waited for.', ['object']),
  sluice_series_dropped_total: counter('Series that were not kept because a metric has too many.', [
    'metric',
  ]),

  sluice_open: gauge('What is under way or waits: syncs, jobs by kind, webhook deliveries.', ['what']),
  sluice_oldest_seconds: gauge('The age of the oldest of these; 0 where there is none.', ['what']),
  sluice_sync_stalled_seconds: gauge(
    'How long the sync that got nowhere for longest has got nowhere, of the oldest under way.',
    [],
  ),
  sluice_sync_items: gauge('Items of the oldest syncs under way by state.', ['state']),
  sluice_dead_letters: gauge('Messages that failed every time and were not sent again.', []),
  sluice_index_shards: gauge('Shards of indexes by the state of their index.', ['state']),
} as const satisfies Record<`sluice_${string}`, Metric>;

type Metrics = typeof METRICS;
export type MetricName = keyof Metrics;
type NameOf<Type extends Metric['type']> = {
  [Name in MetricName]: Metrics[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type CounterName = NameOf<'counter'>;
export type HistogramName = NameOf<'histogram'>;
export type GaugeName = NameOf<'gauge'>;
/** A value for each label of the metric. */
export type Labels<Name extends MetricName> = Record<Metrics[Name]['labels'][number], string>;

export const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);
