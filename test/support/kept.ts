import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '#src/db/schema/index.ts';

/** Every table of the schema, so that none is forgotten that is new. */
export const TABLES = Object.values<unknown>(schema)
  .filter((each) => is(each, SQLiteTable))
  .map((table) => getTableName(table));

const OBJECTS = ['PIPELINE_SYNC', 'JOB_STATE', 'JOB_INTAKE', 'CHAT_STREAM', 'SEARCH_SHARD'] as const;

/** When a key was last used changes with every call, and is the key's business. */
const VOLATILE = /"last_used_at":(?:null|\d+),|"updated_at":\d+/g;

/** Which changes of its tables a shard has made, also an empty one: looking at an object makes its tables anew. */
const UPGRADES = 'upgrade';

/**
 * All that is kept of anybody, a line each: rows by table, keys of the bucket and of objects the tables that
 * have rows, the values and the alarm. An object that has let go of everything has no line. Not of the one object that the whole installation has.
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
        ...tablesOf(storage),
        ...[...(await storage.list())].map((entry) => `value ${JSON.stringify(entry)}`),
        ...((await storage.getAlarm()) === null ? [] : ['alarm']),
      ]);
      lines.push(...kept.map((line) => `object ${name} ${id} ${line}`));
    }
  }
  return lines.toSorted();
}

function tablesOf({ sql }: DurableObjectStorage): string[] {
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

/** What a project's deletions may have left behind is looked for now, and not in hours. */
export async function clearLeftoversNow(projectId: string): Promise<void> {
  const intake = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  await runInDurableObject(intake, (_, { storage }) => {
    const isMade = tablesOf(storage).some((line) => line.startsWith('table leftovers '));
    if (isMade) storage.sql.exec('update or replace leftovers set at = 1');
  });
  await runDurableObjectAlarm(intake);
}
