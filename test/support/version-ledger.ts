import { env } from 'cloudflare:workers';
import { openDatabase } from '#src/db/client.ts';
import { createVersionLedger } from '#src/services/indexes/version-ledger.ts';
import type { VersionLedger } from '#src/sinks/native/ledger/version-ledger.ts';
import { createPipeline } from './pipelines.ts';

const created = new Map<string, Promise<unknown>>();

async function createIndexRow(id: string): Promise<void> {
  await env.DB.prepare(
    "insert into pipeline_indexes (id, pipeline_id, config_hash, state) values (?, ?, 'ledger', 'live')",
  )
    .bind(id, await createPipeline())
    .run();
}

/** Opens the ledger of an index in the test database. The row of the index is created before the first call. */
export function openTestLedger(indexId: string): VersionLedger {
  const ledger = createVersionLedger({ db: openDatabase(env.DB) }, indexId);
  return new Proxy(ledger, {
    get(target, name: keyof VersionLedger) {
      return async (...values: unknown[]) => {
        if (!created.has(indexId)) created.set(indexId, createIndexRow(indexId));
        await created.get(indexId);
        return Reflect.apply(target[name], target, values);
      };
    },
  });
}
