import { readFileSync } from 'node:fs';

/** Bindings of the service's Worker. `npm run build` reads them from wrangler.toml. */
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

/** Path of the file that contains the bindings. It is stored next to the service's bundle. */
export const BINDINGS_FILE = 'dist/bindings.json';

export const readBindings = (): ServiceBindings => JSON.parse(readFileSync(BINDINGS_FILE, 'utf8'));
