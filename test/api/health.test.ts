import { env } from 'cloudflare:workers';
import { getTableName, is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it, vi } from 'vitest';
import * as schema from '#src/db/schema/index.ts';
import { BASE, call } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';

interface Health {
  status: string;
  checks: Record<string, { ok: boolean; error?: string }>;
}
interface Readiness {
  status: string;
  missing: { name: string; reason: string }[];
}

/** Sends a request to a service with these settings and checks the status. */
async function ask<Body>(settings: Record<string, unknown>, path: string, status: number): Promise<Body> {
  const answer = await startWith(settings)(new Request(`${BASE}${path}`));
  expect(answer.status).toBe(status);
  return answer.json<Body>();
}

const failing = ({ checks }: Health) => Object.keys(checks).filter((name) => !checks[name]!.ok);

/**
 * Returns the test database without the columns that match the condition, and records the queries for
 * columns.
 */
function databaseWithout(condition: string) {
  const asked: string[] = [];
  const lacking = { condition };
  const DB = new Proxy(env.DB, {
    get(database, name) {
      if (name !== 'prepare') return Reflect.get(database, name).bind(database);
      return (text: string) => {
        if (!text.includes('pragma_table_info')) return database.prepare(text);
        asked.push(text);
        return database.prepare(`select * from (${text}) where not (${lacking.condition})`);
      };
    },
  });
  return { DB, asked, lacking };
}

describe('GET /health', () => {
  it('reports each part without a key', async () => {
    const answer = await call<Health>('GET', '/health', { key: null });
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe('ok');
    expect(Object.keys(answer.body.checks)).toEqual(
      expect.arrayContaining([
        'database',
        'bucket',
        'schema',
        'INGESTION_QUEUE',
        'INTERACTIVE_QUEUE',
        'PIPELINE_SYNC',
        'SEARCH_SHARD',
        'METRICS_KEEPER',
        'PARSER',
        'models',
      ]),
    );
  });

  const ended = new Error('Worker exceeded memory limit.');
  it.each([
    ['is not bound', undefined, { ok: false }],
    [
      'is dead',
      { ocrId: () => Promise.reject(ended) },
      { ok: false, error: expect.stringContaining(ended.message) },
    ],
    [
      'never answered',
      { ocrId: () => new Promise(() => {}) },
      { ok: false, error: expect.stringMatching(/2 sec/) },
    ],
  ])('reports a parser that %s', async (_, PARSER, check) => {
    const health = await ask<Health>({ PARSER }, '/health', 503);
    expect(health.status).toBe('unhealthy');
    expect(health.checks.PARSER).toEqual(check);
    expect(failing(health)).toEqual(['PARSER']);
  });

  it('treats a silent parser that has answered before as busy, until the maximum duration of a call', async () => {
    const answers: (() => Promise<string>)[] = [async () => 'engine'];
    const PARSER = { ocrId: () => answers.shift()?.() ?? new Promise(() => {}) };
    await ask({ PARSER }, '/health', 200);
    expect((await ask<Health>({ PARSER }, '/health', 200)).checks.PARSER).toEqual({ ok: true });
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 16 * 60_000);
    try {
      expect(failing(await ask<Health>({ PARSER }, '/health', 503))).toEqual(['PARSER']);
    } finally {
      now.mockRestore();
    }
  });

  it.each(
    Object.values<unknown>(schema)
      .filter((each) => is(each, SQLiteTable))
      .map((table) => getTableName(table)),
  )('names the table %s if it is missing', async (table) => {
    const { DB } = databaseWithout(`"table" = '${table}'`);
    const health = await ask<Health>({ DB }, '/health', 503);
    expect(failing(health)).toEqual(['schema']);
    expect(health.checks.schema!.error).toBe(`Apply the migrations: the table ${table} is missing.`);
  });

  it('names missing columns, and checks the schema until it is complete', async () => {
    const { DB, asked, lacking } = databaseWithout(`"column" in ('parent_id', 'retention')`);
    const health = await ask<Health>({ DB }, '/health', 503);
    expect(health.checks.schema!.error).toMatch(/projects lacks retention/);
    expect(health.checks.schema!.error).toMatch(/api_keys lacks parent_id/);
    lacking.condition = 'false';
    await ask({ DB }, '/health', 200);
    await ask({ DB }, '/health', 200);
    expect(asked).toHaveLength(2);
  });

  it('names at most five missing tables', async () => {
    const { DB } = databaseWithout('true');
    const { error } = (await ask<Health>({ DB }, '/health', 503)).checks.schema!;
    expect(error!.match(/is missing/g)).toHaveLength(5);
    expect(error).toMatch(/and \d+ more tables\.$/);
  });
});

describe('GET /health/ready', () => {
  it('answers 200 if all dependencies are available', async () => {
    const answer = await call<Readiness>('GET', '/health/ready', { key: null });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ready', missing: [] } });
  });

  it('answers 503 with the missing dependencies and the reasons', async () => {
    const { DB } = databaseWithout(`"column" = 'parent_id'`);
    const settings = { DB, PARSER: undefined, LLM_MODELS: '{' };
    const { status, missing } = await ask<Readiness>(settings, '/health/ready', 503);
    expect(status).toBe('not_ready');
    expect(missing.map(({ name }) => name)).toEqual(['schema', 'PARSER', 'models']);
    expect(missing[0]!.reason).toContain('api_keys lacks parent_id');
    expect(missing[1]!.reason).toBe('The binding is missing.');
  });

  it('contains no secrets', async () => {
    const secret = 'sk-lighthouse-4711';
    const LLM_MODELS = JSON.stringify({ one: { type: 'OPENAI', api_key: secret, colour: secret } });
    for (const path of ['/health', '/health/ready']) {
      const body = await ask<object>({ LLM_MODELS }, path, 503);
      expect(JSON.stringify(body)).not.toContain(secret);
    }
  });
});

describe('GET /health/live', () => {
  it('answers 200 even if all dependencies fail', async () => {
    const dead = new Proxy({}, { get: () => Promise.reject(new Error('gone')) });
    const settings = { DB: dead, FILES: dead, PARSER: undefined, MAX_FILE_MIB: 'many' };
    expect(await ask({ ...settings }, '/health/live', 200)).toEqual({ status: 'live' });
    const answer = await call('GET', '/health/live', { key: null });
    expect(answer.body).toEqual({ status: 'live' });
  });
});
