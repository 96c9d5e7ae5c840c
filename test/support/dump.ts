import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

/**
 * Returns everything that is stored: rows of all tables, objects of the bucket, and tables of all Durable
 * Objects.
 */
export async function dumpEverything(): Promise<string> {
  return [await dumpDatabase(), await dumpBucket(), await dumpObjects()].join('\n');
}

export async function dumpDatabase(): Promise<string> {
  const tables = await env.DB.prepare("select name from sqlite_master where type = 'table'").all<{
    name: string;
  }>();
  const names = tables.results.map(({ name }) => name).filter((name) => !name.startsWith('_cf_'));
  const lines: string[] = [];
  for (const name of names) {
    const { results } = await env.DB.prepare(`select * from "${name}"`).all();
    lines.push(...results.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return lines.join('\n');
}

async function dumpBucket(): Promise<string> {
  const { objects } = await env.FILES.list();
  const texts = objects.map(async ({ key }) => `${key} ${await (await env.FILES.get(key))?.text()}`);
  return (await Promise.all(texts)).join('\n');
}

async function dumpObjects(): Promise<string> {
  const lines: string[] = [];
  const { PIPELINE_SYNC, JOB_STATE, JOB_INTAKE, CHAT_STREAM, SEARCH_SHARD, METRICS_KEEPER } = env;
  const namespaces: DurableObjectNamespace[] = [
    PIPELINE_SYNC,
    JOB_STATE,
    JOB_INTAKE,
    CHAT_STREAM,
    SEARCH_SHARD,
    METRICS_KEEPER,
  ];
  for (const namespace of namespaces) {
    for (const id of await listDurableObjectIds(namespace)) {
      await runInDurableObject(namespace.get(id), (_, { storage }) => {
        const tables = storage.sql.exec<{ name: string }>(
          "select name from sqlite_master where type = 'table'",
        );
        for (const { name } of tables.toArray()) {
          if (name.startsWith('_cf_')) continue;
          lines.push(`${name} ${JSON.stringify(storage.sql.exec(`select * from "${name}"`).toArray())}`);
        }
      });
    }
  }
  return lines.join('\n');
}
