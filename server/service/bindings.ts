import { readFileSync } from 'node:fs';

/** What the service's Worker binds, as `npm run build` reads it from wrangler.toml. */
export interface ServiceBindings {
  d1Databases: Record<string, string>;
  r2Buckets: Record<string, string>;
  durableObjects: Record<string, { className: string; useSQLite: true }>;
  queueProducers: Record<string, { queueName: string }>;
  queueConsumers: Record<
    string,
    { maxBatchSize?: number; maxBatchTimeout?: number; maxRetries?: number; deadLetterQueue?: string }
  >;
}

/** File beside the service's bundle. */
export const BINDINGS_FILE = 'dist/bindings.json';

export const readBindings = (): ServiceBindings => JSON.parse(readFileSync(BINDINGS_FILE, 'utf8'));
