import { runInDurableObject } from 'cloudflare:test';

/** Returns the table names and the alarm time of a Durable Object. */
export function keptBy(stub: DurableObjectStub): Promise<{ tables: string[]; alarm: number | null }> {
  return runInDurableObject(stub, async (_instance, { storage }) => {
    const names = storage.sql.exec<{ name: string }>("select name from sqlite_master where type = 'table'");
    const tables = names.toArray().map(({ name }) => name);
    return {
      tables: tables.filter((name) => !name.startsWith('_cf_')),
      alarm: await storage.getAlarm(),
    };
  });
}

export const NOTHING = { tables: [], alarm: null };
