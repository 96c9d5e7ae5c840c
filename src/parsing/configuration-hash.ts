import { configHash } from '#src/lib/hash.ts';

/** Parse parameters that say where to fetch and report, and when, not how a file is read. */
const NOT_PARSING = new Set([
  'webhook_configurations',
  'webhook_url',
  'priority',
  'do_not_cache',
  'project_id',
  'input_url',
  'input_bucket_path',
  'input_bucket_region',
  'http_proxy',
]);

/** Names a parse's configuration: parameters that read a file alike have the same hash. */
export function parsingConfigHash(parameters: Record<string, unknown>): Promise<string> {
  return configHash(
    Object.fromEntries(Object.entries(parameters).filter(([name]) => !NOT_PARSING.has(name))),
  );
}
