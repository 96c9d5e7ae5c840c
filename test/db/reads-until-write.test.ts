import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '#src/app.ts';
import { beginWrite, keepReads, readUntilWrite } from '#src/db/reads-until-write.ts';
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
      return (...args: unknown[]) => {
        if (name === 'prepare') statements.push(String(args[0]));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  bindings = { ...env, DB: database, SUPERVISED: 'true' } as Bindings;
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

  it('reads the key and the pipeline of many retrievals once', async () => {
    const { retrieve } = await prepare();
    for (let times = 0; times < 3; times += 1) expect(await retrieve()).toBe(200);
    expect(statements.filter((each) => each.startsWith('select'))).toEqual([]);
    // The retrievals are counted all the same.
    expect(statements.some((each) => each.includes('daily_activity'))).toBe(true);
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
    expect(statements.some((each) => each.startsWith('select'))).toBe(true);
    expect((await ask('DELETE', path, key)).status).toBeLessThan(300);
    expect(await retrieve()).not.toBe(200);
  });
});

describe('a kept read', () => {
  const database = {};
  let value = 0;
  const read = (key: string) => readUntilWrite(database, key, async () => value);

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

  it('is not kept if it began while a write was running, or if a write began while it ran', async () => {
    const [during, around] = [crypto.randomUUID(), crypto.randomUUID()];
    const end = beginWrite();
    expect(await read(during)).toBe(1);
    value = 2;
    end();
    expect(await read(during)).toBe(2);
    const reading = Promise.withResolvers<number>();
    const old = readUntilWrite(database, around, () => reading.promise);
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
    expect(await readUntilWrite(other, key, async () => 1)).toBe(1);
    expect(await readUntilWrite(other, key, async () => 2)).toBe(2);
  });
});
