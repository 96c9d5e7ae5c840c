import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from '#src/app.ts';
import { openDatabase } from '#src/db/client.ts';
import { OWNED_TABLES, requireOwnedTable } from '#src/db/ownership/owned-tables.ts';
import { beginWrite, keepReads, readUntilWrite } from '#src/db/reads-until-write.ts';
import { apiKeys, files, members } from '#src/db/schema/index.ts';
import type { Bindings } from '#src/settings/env.ts';
import { BASE } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const app = createApp();
let bindings: Bindings;
/** Statements that were sent to the database since the last start. */
let statements: string[] = [];

/** Starts a service that is the only one that writes to the database, as on a single machine. */
beforeEach(() => {
  const database = new Proxy(env.DB, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      if (name === 'prepare') return (text: string) => recordRuns(target.prepare(text), text);
      return member.bind(target) as unknown;
    },
  });
  bindings = { ...env, DB: database, SUPERVISED: 'true' } as Bindings;
});

/** Records a statement each time that it gets its values, because some are prepared only once. */
const recordRuns = (statement: D1PreparedStatement, text: string) =>
  new Proxy(statement, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== 'function') return member;
      if (name === 'bind') statements.push(text);
      return member.bind(target) as unknown;
    },
  });

async function ask<Body = Record<string, string>>(method: string, path: string, key: string, body?: object) {
  const execution = createExecutionContext();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await app.fetch(new Request(BASE + path, init), bindings, execution);
  const text = await answer.text();
  await waitOnExecutionContext(execution);
  return { status: answer.status, body: (text ? JSON.parse(text) : undefined) as Body };
}

describe('a service that alone writes to its database', () => {
  async function prepare() {
    const { key } = await createTenant();
    const { id } = (await ask('POST', '/api/v1/pipelines', key, { name: crypto.randomUUID() })).body;
    const path = `/api/v1/pipelines/${id}`;
    const retrieve = async (own = key) => (await ask('POST', `${path}/retrieve`, own, { query: 'a' })).status;
    // The first retrieval records that the key was used, and the second one reads what the third one needs.
    for (let times = 0; times < 2; times += 1) expect(await retrieve()).toBe(200);
    statements = [];
    return { key, path, retrieve };
  }

  afterEach(() => {
    vi.useRealTimers();
  });

  const reads = () => statements.filter((each) => each.startsWith('select'));
  const mentions = (statement: string, table: string) => new RegExp(`\\b${table}\\b`).test(statement);

  it('reads the key and the pipeline of many retrievals once', async () => {
    const { retrieve } = await prepare();
    for (let times = 0; times < 3; times += 1) expect(await retrieve()).toBe(200);
    expect(reads()).toEqual([]);
    // The retrievals are counted all the same.
    expect(statements.some((each) => each.includes('daily_activity'))).toBe(true);
  });

  it('reads again after a write to any table of the read, and not after a write to another table', async () => {
    const { retrieve } = await prepare();
    const db = openDatabase(bindings.DB);
    // Kept reads last for a few seconds only.
    vi.useFakeTimers({ toFake: ['Date'] });
    const write = (table: string) => {
      const column = sql.raw(requireFirstColumn(table));
      return db.run(sql`update ${sql.raw(table)} set ${column} = ${column} where false`);
    };
    /** Returns the reads of a retrieval that follows a write to a table. */
    const readAfter = async (table: string) => {
      await write(table);
      statements = [];
      expect(await retrieve()).toBe(200);
      return reads();
    };
    const [read] = await readAfter('api_keys');
    const names = OWNED_TABLES.map(({ name }) => name);
    const [used, unused] = [true, false].map((is) => names.filter((name) => mentions(read!, name) === is));
    expect(used).toEqual(expect.arrayContaining(['api_keys', 'pipelines', 'pipeline_members']));
    for (const table of used!) expect(await readAfter(table), table).not.toEqual([]);
    for (const table of unused!) await write(table);
    statements = [];
    expect(await retrieve()).toBe(200);
    expect(reads()).toEqual([]);
    // Without these, a write to a table that no read mentions could change what a read finds.
    const made = await db.all<{ type: string; sql: string | null }>(sql`select type, sql from sqlite_master`);
    for (const { sql: text } of made) expect(text ?? '').not.toMatch(/on update (?!no action)/i);
    for (const { sql: text } of made.filter(({ type }) => type === 'trigger')) {
      for (const [, table] of text!.matchAll(/\b(?:into|update(?! of)|from) [`"]?(\w+)/gi)) {
        expect(used, text!).not.toContain(table);
      }
    }
  });

  it('reads again after each statement that may write to several tables', async () => {
    const { retrieve } = await prepare();
    const db = openDatabase(bindings.DB);
    for (const write of [
      sql`delete from files where false`,
      sql`update or replace files set name = name where false`,
      sql`with none as (select 1) update files set name = name where false`,
    ]) {
      statements = [];
      expect(await retrieve()).toBe(200);
      expect(reads()).toEqual([]);
      await db.run(write);
      expect(await retrieve()).toBe(200);
      expect(reads()).not.toEqual([]);
    }
    await db.batch([
      db.update(files).set({ name: 'a' }).where(sql`false`),
      db.update(members).set({ role: 'viewer' }).where(sql`false`),
    ]);
    statements = [];
    expect(await retrieve()).toBe(200);
    expect(reads()).not.toEqual([]);
  });

  it('rejects a key at once when it was revoked', async () => {
    const { key, retrieve } = await prepare();
    const created = await ask('POST', '/api/v1/api-keys', key, { name: 'second' });
    const second = created.body.redacted_api_key!;
    for (let times = 0; times < 3; times += 1) expect(await retrieve(second)).toBe(200);
    expect((await ask('DELETE', `/api/v1/api-keys/${created.body.id}`, key)).status).toBeLessThan(300);
    expect(await retrieve(second)).toBe(401);
    expect(await retrieve()).toBe(200);
  });

  it('uses a changed pipeline at once, and no longer finds a deleted one', async () => {
    const { key, path, retrieve } = await prepare();
    const schema = { retrieval_mode: 'files_via_metadata' };
    expect((await ask('PUT', path, key, { preset_retrieval_parameters: schema })).status).toBe(200);
    expect(await retrieve()).toBe(200);
    expect(reads()).not.toEqual([]);
    expect((await ask('DELETE', path, key)).status).toBeLessThan(300);
    expect(await retrieve()).not.toBe(200);
  });
});

/** Returns a column that every row of a table has. */
const requireFirstColumn = (table: string) => requireOwnedTable(table).shape.columns[0]!;

describe('a kept read', () => {
  const database = {};
  let value = 0;
  const tables = [apiKeys, members];
  const read = (key: string) => readUntilWrite(database, { key, tables, read: async () => value });

  beforeEach(() => {
    keepReads(database);
    value = 1;
  });

  it('ends with the next write', async () => {
    const key = crypto.randomUUID();
    expect(await read(key)).toBe(1);
    value = 2;
    expect(await read(key)).toBe(1);
    beginWrite()();
    expect(await read(key)).toBe(2);
  });

  it('ends with a write to one of its tables, and lasts while others are written', async () => {
    const key = crypto.randomUUID();
    expect(await read(key)).toBe(1);
    value = 2;
    const end = beginWrite(['files', 'jobs']);
    expect(await read(key)).toBe(1);
    end();
    expect(await read(key)).toBe(1);
    beginWrite(['files', 'members'])();
    expect(await read(key)).toBe(2);
  });

  it('is not kept if it began while one of its tables was being written', async () => {
    const [during, beside] = [crypto.randomUUID(), crypto.randomUUID()];
    const end = beginWrite(['members']);
    expect(await read(during)).toBe(1);
    end();
    const other = beginWrite(['files']);
    expect(await read(beside)).toBe(1);
    value = 2;
    expect(await read(during)).toBe(2);
    expect(await read(beside)).toBe(1);
    other();
  });

  it('is not kept if it began while a write was running, or if a write began while it ran', async () => {
    const [during, around] = [crypto.randomUUID(), crypto.randomUUID()];
    const end = beginWrite();
    expect(await read(during)).toBe(1);
    value = 2;
    end();
    expect(await read(during)).toBe(2);
    const reading = Promise.withResolvers<number>();
    const old = readUntilWrite(database, { key: around, tables, read: () => reading.promise });
    beginWrite()();
    reading.resolve(2);
    expect(await old).toBe(2);
    value = 3;
    expect(await read(around)).toBe(3);
  });

  it('is not kept if the end of a write is unknown', async () => {
    const key = crypto.randomUUID();
    const end = beginWrite();
    expect(await read(key)).toBe(1);
    value = 2;
    expect(await read(key)).toBe(2);
    end();
  });

  it('belongs to its database, and other databases keep nothing', async () => {
    const [key, other] = [crypto.randomUUID(), {}];
    expect(await readUntilWrite(other, { key, tables, read: async () => 1 })).toBe(1);
    expect(await readUntilWrite(other, { key, tables, read: async () => 2 })).toBe(2);
  });
});
