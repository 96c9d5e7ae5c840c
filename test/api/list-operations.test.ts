import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '#src/app.ts';
import { BASE } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

interface Schema {
  type?: string;
  properties?: Record<string, unknown>;
  $ref?: string;
}
interface Description {
  paths: Record<
    string,
    { get?: { responses: Record<string, { content?: Record<string, { schema: Schema }> }> } }
  >;
}

/** Names of the properties that hold the rows of a page. */
const ROWS = ['items', 'files', 'documents'];

/** Wraps a database and records every prepared statement. */
function recording(database: D1Database, statements: Set<string>): D1Database {
  return new Proxy(database, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (name === 'prepare') statements.add(given[0] as string);
        return member.apply(target, given);
      };
    },
  });
}

const app = createApp();
const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const description = (await (
  await app.fetch(new Request(`${BASE}/openapi.json`), env, execution)
).json()) as Description;

function isList(path: string): boolean {
  const schema = description.paths[path]?.get?.responses['200']?.content?.['application/json']?.schema;
  return schema?.type === 'array' || ROWS.some((name) => name in (schema?.properties ?? {}));
}

/** Lists settings, not rows. */
const WITHOUT_TABLE = '/api/v1/session/providers';

const lists = Object.keys(description.paths).filter((path) => isList(path) && path !== WITHOUT_TABLE);

let pipelineId = '';
let fileId = '';
beforeAll(async () => {
  pipelineId = await createPipeline();
  [fileId = ''] = await addFiles(pipelineId, { 'a.txt': 'One file.' });
  await sync(pipelineId);
});

/** Returns the SELECT statements that a list operation sends to the database. */
async function recordStatements(path: string): Promise<string[]> {
  const statements = new Set<string>();
  const filled = path
    .replace('{pipeline_id}', pipelineId)
    .replace(/\{(id|file_id)\}/, fileId)
    .replace('{page_index}', '0')
    .replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  const request = new Request(BASE + filled, {
    headers: { authorization: `Bearer ${String(env.BOOTSTRAP_API_KEY)}` },
  });
  const bindings = { ...env, DB: recording(env.DB, statements) };
  const answer = await app.fetch(request, bindings, execution);
  expect([200, 404], path).toContain(answer.status);
  return [...statements].filter((sql) => /^\s*(with|select)\b/i.test(sql));
}

async function explainPlan(sql: string): Promise<string[]> {
  const { results } = await env.DB.prepare(`explain query plan ${sql}`)
    .bind(...Array.from(sql.matchAll(/\?/g), () => 1))
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail);
}

describe('every list operation', () => {
  it('is detected in the description', () => {
    expect(lists.length).toBeGreaterThan(15);
  });

  it.each(lists)('%s reads tables by indexes', async (path) => {
    const statements = await recordStatements(path);
    expect(statements.length).toBeGreaterThan(0);
    for (const sql of statements) {
      const plan = await explainPlan(sql);
      // The rows of a subquery are read by an index too, or its own steps are scans.
      const subqueries = plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(step)?.[1] ?? []);
      const scans = plan.filter(
        (step) =>
          /^SCAN /.test(step) &&
          !/VIRTUAL TABLE|CONSTANT ROW|SUBQUERY/i.test(step) &&
          !subqueries.includes(step.slice('SCAN '.length)),
      );
      expect(scans, `${sql}\n${plan.join('\n')}`).toEqual([]);
    }
  });
});
