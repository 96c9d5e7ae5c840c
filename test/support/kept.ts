import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect } from 'vitest';
import * as schema from '#src/db/schema/index.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { ParserService } from '#src/parse/service.ts';

/** All tables of the schema, so that new tables are included. */
export const TABLES = Object.values<unknown>(schema)
  .filter((each) => is(each, SQLiteTable))
  .map((table) => getTableName(table));

const OBJECTS = ['PIPELINE_SYNC', 'JOB_STATE', 'JOB_INTAKE', 'CHAT_STREAM', 'SEARCH_SHARD'] as const;

/** Values that change with every call. */
const VOLATILE = /"last_used_at":(?:null|\d+),|"updated_at":\d+/g;

/** Table of schema upgrades of a shard. An empty object creates it whenever it is opened. */
const UPGRADES = 'upgrade';

/**
 * Returns everything that is stored for any project, one entry per line: table rows, bucket keys, and tables,
 * values and alarms of Durable Objects. Empty objects and the installation-wide object are omitted.
 */
export async function everythingKept(): Promise<string[]> {
  const lines: string[] = [];
  for (const table of TABLES) {
    const { results } = await env.DB.prepare(`select * from "${table}"`).all();
    for (const row of results) lines.push(`row ${table} ${JSON.stringify(row).replaceAll(VOLATILE, '')}`);
  }
  for (let startAfter: string | undefined; ; ) {
    const listed = await env.FILES.list(startAfter === undefined ? {} : { startAfter });
    for (const { key } of listed.objects) lines.push(`key ${key}`);
    startAfter = listed.objects.at(-1)?.key;
    if (!listed.truncated) break;
  }
  for (const name of OBJECTS) {
    const namespace: DurableObjectNamespace = env[name];
    for (const id of await listDurableObjectIds(namespace)) {
      const kept = await runInDurableObject(namespace.get(id), async (_, { storage }) => [
        ...listTables(storage),
        ...[...(await storage.list())].map((entry) => `value ${JSON.stringify(entry)}`),
        ...((await storage.getAlarm()) === null ? [] : ['alarm']),
      ]);
      lines.push(...kept.map((line) => `object ${name} ${id} ${line}`));
    }
  }
  return lines.toSorted();
}

function listTables({ sql }: DurableObjectStorage): string[] {
  const tables = sql.exec<{ name: string }>("select name from sqlite_master where type = 'table'").toArray();
  return tables
    .filter(({ name }) => !name.startsWith('_cf_') && !name.startsWith('sqlite_') && name !== UPGRADES)
    .map(({ name }) => {
      const { number } = sql.exec<{ number: number }>(`select count(*) as number from "${name}"`).one();
      return { name, number };
    })
    .filter(({ number }) => number > 0)
    .map(({ name, number }) => `table ${name} with ${number}`);
}

/** Runs the delayed cleanup of a project's deletions immediately. */
export async function clearLeftoversNow(projectId: string): Promise<void> {
  const intake = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  await runInDurableObject(intake, (_, { storage }) => {
    const isMade = listTables(storage).some((line) => line.startsWith('table leftovers '));
    if (isMade) storage.sql.exec('update or replace leftovers set at = 1');
  });
  await runDurableObjectAlarm(intake);
}

/** Larger than the memory that the parser has for all documents, and than the largest file that it parses. */
const TOO_LARGE = 64 * 1024 * 1024 + 1;

/**
 * Resolves once the parser has ended all work that it had begun. The parser admits a document that is larger than its
 * memory only when it processes no other document, and then rejects the document.
 */
export async function untilParserIsIdle(): Promise<void> {
  const parser = env.PARSER as unknown as ParserService;
  const request = {
    ...{ projectId: crypto.randomUUID(), contentHash: 'too-large', configHash: 'h', storageKey: 'too-large' },
    ...{ name: 'large.txt', size: TOO_LARGE, plan: resolveParsePlan({}) },
  };
  const answer = await parser.describe(request, async () => true);
  expect(answer).toMatchObject({ failure: { reason: 'DOCUMENT_TOO_LARGE' } });
}
