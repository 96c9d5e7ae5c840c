import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BINDINGS_FILE, type ServiceBindings } from '../server/service/bindings.ts';

const CONFIG = 'wrangler.toml';

/** Settings of wrangler.toml that become Miniflare options. */
interface Configuration {
  d1_databases: { binding: string; database_id?: string }[];
  r2_buckets: { binding: string; bucket_name?: string }[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
  queues: {
    producers?: { binding: string; queue: string }[];
    consumers?: {
      queue: string;
      max_batch_size?: number;
      max_batch_timeout?: number;
      max_retries?: number;
      dead_letter_queue?: string;
    }[];
  };
}

/**
 * Writes the bindings of wrangler.toml as Miniflare options, so that the server does not have to load
 * wrangler.
 */
export async function buildBindings(): Promise<void> {
  if (!existsSync(CONFIG)) return;
  if (existsSync(BINDINGS_FILE) && statSync(BINDINGS_FILE).mtimeMs > statSync(CONFIG).mtimeMs) return;
  const { unstable_readConfig } = await import('wrangler');
  const config: Configuration = unstable_readConfig({ config: CONFIG }, { hideWarnings: true });
  const bindings: ServiceBindings = {
    d1Databases: Object.fromEntries(config.d1_databases.map((each) => [each.binding, each.database_id!])),
    r2Buckets: Object.fromEntries(config.r2_buckets.map((each) => [each.binding, each.bucket_name!])),
    durableObjects: Object.fromEntries(
      config.durable_objects.bindings.map((each) => [
        each.name,
        { className: each.class_name, useSQLite: true as const },
      ]),
    ),
    queueProducers: Object.fromEntries(
      (config.queues.producers ?? []).map((each) => [each.binding, { queueName: each.queue }]),
    ),
    queueConsumers: Object.fromEntries(
      (config.queues.consumers ?? []).map((each) => [
        each.queue,
        {
          ...(each.max_batch_size !== undefined && { maxBatchSize: each.max_batch_size }),
          ...(each.max_batch_timeout !== undefined && { maxBatchTimeout: each.max_batch_timeout }),
          ...(each.max_retries !== undefined && { maxRetries: each.max_retries }),
          ...(each.dead_letter_queue !== undefined && { deadLetterQueue: each.dead_letter_queue }),
        },
      ]),
    ),
  };
  mkdirSync(dirname(BINDINGS_FILE), { recursive: true });
  writeFileSync(BINDINGS_FILE, `${JSON.stringify(bindings, undefined, 2)}\n`);
}
