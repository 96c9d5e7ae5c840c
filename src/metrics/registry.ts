/** A counter only grows, a gauge holds the current value, and a histogram counts values in buckets. */
export type Metric =
  | { type: 'counter' | 'gauge'; help: string; labels: readonly string[] }
  | { type: 'histogram'; help: string; labels: readonly string[]; buckets: readonly number[] };

/**
 * Upper bounds of histogram buckets in seconds. They range from answers out of memory to work that is about
 * to time out.
 */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800] as const;

const counter = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: 'counter', help, labels }) as const;
const gauge = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: 'gauge', help, labels }) as const;
const seconds = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: 'histogram', help, labels, buckets: SECONDS }) as const;

/**
 * All metrics of the service. Label values are names of operations, kinds, outcomes and models. They are
 * never tenants, ids or paths, so their number is limited.
 */
export const METRICS = {
  sluice_http_requests_total: counter(
    'HTTP requests answered, by operation. `none` means that no operation matched.',
    ['method', 'operation', 'status'],
  ),
  sluice_http_request_seconds: seconds('Seconds from a request to the beginning of its answer.', [
    'operation',
  ]),
  sluice_messages_total: counter(
    'Queue messages processed, by outcome: `done`, `again` (failed, and delivered again), `unreadable`.',
    ['type', 'outcome'],
  ),
  sluice_message_wait_seconds: seconds(
    'Seconds that a message waited in its queue, including the delay that it was sent with.',
    ['type'],
  ),
  sluice_message_seconds: seconds('Seconds that the processing of a message took.', ['type']),
  sluice_dead_letters_total: counter('Messages that failed on every delivery.', ['type']),
  sluice_syncs_total: counter('Sync runs that ended, by status.', ['status']),
  sluice_sync_seconds: seconds('Seconds from the start of a sync run to its end.', ['status']),
  sluice_items_total: counter(
    'Attempts at items of sync runs, by outcome: `done`, `failed` (permanently), `again` (retried), `given_up` (after all attempts).',
    ['outcome'],
  ),
  sluice_sync_work_total: counter(
    'Work done by sync items, by counter of the run: `indexed`, `pages`, `chunks`, `parse_ms` and others.',
    ['counter'],
  ),
  sluice_jobs_total: counter('Jobs that ended, by status.', ['kind', 'status']),
  sluice_job_seconds: seconds('Seconds from the creation of a job to its end.', ['kind']),
  sluice_job_attempts_failed_total: counter('Failed attempts of jobs.', ['kind']),
  sluice_model_calls_total: counter('Calls of language models, by outcome: `answered` or `failed`.', [
    'use',
    'model',
    'outcome',
  ]),
  sluice_model_tokens_total: counter('Tokens of language models, by direction: `input` or `output`.', [
    'use',
    'model',
    'direction',
  ]),
  sluice_model_cost_total: counter(
    'Cost of the tokens of language models, in the currency of the prices in LLM_MODELS. Models without a price are not counted.',
    ['use', 'model'],
  ),
  sluice_model_seconds: seconds('Seconds from a call of a language model to the end of its answer.', [
    'use',
    'model',
  ]),
  sluice_limit_refusals_total: counter(
    'Files, requests and jobs that were rejected because of a limit, by limit: `files`, `bytes`, `pages_per_day`, `concurrent_jobs`, `daily_tokens`, `requests`, `sign_ins`, `wrong_keys`.',
    ['limit'],
  ),
  sluice_waiting_requests_total: counter(
    'Requests that had to wait because `REQUESTS_IN_FLIGHT` others were running, by outcome: `admitted`, `full` and `displaced` (the queue was full), `late` (waited too long), `left` (the client disconnected).',
    ['outcome'],
  ),
  sluice_request_wait_seconds: seconds('Seconds that such a request waited.', ['outcome']),
  sluice_webhook_attempts_total: counter(
    'Attempts of webhook deliveries, by outcome: `delivered`, `failed` (retried), `dead` (after all attempts).',
    ['outcome'],
  ),
  sluice_traces_total: counter(
    'Traces of retrievals and answers by outcome: `recorded`, `over_limit` or `failed`.',
    ['outcome'],
  ),
  sluice_trace_exports_total: counter(
    'Traces for the OpenTelemetry collector by outcome: `sent`, `failed` or `dropped`.',
    ['outcome'],
  ),
  sluice_expired_total: counter(
    'Expired data that was deleted, by kind: files, contents of parses, jobs, rows.',
    ['kind'],
  ),
  sluice_upstream_requests_total: counter(
    'HTTP requests to external services (models, data sources, data sinks, webhook receivers), by class of the response status. `none` means that there was no response.',
    ['status'],
  ),
  sluice_upstream_seconds: seconds(
    'Seconds from a request to an external service to the beginning of its response.',
    ['status'],
  ),
  sluice_object_calls_total: counter(
    'Calls of Durable Objects, including the shards of indexes, by outcome: `ok` or `failed`.',
    ['object', 'method', 'outcome'],
  ),
  sluice_object_call_seconds: seconds('Seconds until a Durable Object answered a call.', ['object']),
  sluice_series_dropped_total: counter('Series that were dropped because a metric has too many.', ['metric']),

  sluice_open: gauge('Number of running or waiting syncs, jobs (by kind) and webhook deliveries.', ['what']),
  sluice_oldest_seconds: gauge(
    'Age in seconds of the oldest running or waiting sync, job or webhook delivery. 0 if there is none.',
    ['what'],
  ),
  sluice_sync_stalled_seconds: gauge(
    'Longest time in seconds for which one of the oldest running syncs has made no progress.',
    [],
  ),
  sluice_sync_items: gauge('Items of the oldest running syncs, by state.', ['state']),
  sluice_dead_letters: gauge('Messages that failed on every delivery and were not sent again.', []),
  sluice_index_shards: gauge('Shards of indexes, by the state of their index.', ['state']),
  sluice_limit_share: gauge(
    'Used share of a platform limit, from 0 to 1. If the limit applies to several parts, such as indexes, the fullest one counts.',
    ['limit'],
  ),
} as const satisfies Record<`sluice_${string}`, Metric>;

type Metrics = typeof METRICS;
export type MetricName = keyof Metrics;
type NamesOfType<Type extends Metric['type']> = {
  [Name in MetricName]: Metrics[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type CounterName = NamesOfType<'counter'>;
export type HistogramName = NamesOfType<'histogram'>;
export type GaugeName = NamesOfType<'gauge'>;
export type Labels<Name extends MetricName> = Record<Metrics[Name]['labels'][number], string>;

export const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);
