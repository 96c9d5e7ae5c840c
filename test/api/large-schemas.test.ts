import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { performExtract } from '#src/services/jobs/extraction/perform-extract.ts';
import { ATTEMPT_LIMITS } from '#src/services/jobs/kinds.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { createObjects } from '#src/work/objects.ts';
import { refused } from '#test/api/mcp/agent.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, run, untilEnded } from '#test/support/jobs.ts';
import { DOUBLINGS, doublingSchema, HUGE_SCHEMA } from '#test/support/large-schemas.ts';

const REASON = 'more than 20000 schemas once its references are followed';
const data_schema = HUGE_SCHEMA;

/** Every request with a schema, the status for an invalid schema, and the field that the error names. */
const REQUESTS: [name: string, path: string, status: number, field: string, body: object][] = [
  ['a validation', '/api/v2/extract/schema/validation', 422, 'data_schema', { data_schema }],
  ['a generation', '/api/v2/extract/schema/generate', 422, 'data_schema', { data_schema, prompt: 'name' }],
  [
    'a saved configuration',
    '/api/v1/beta/configurations',
    422,
    'data_schema',
    { name: 'huge', parameters: { product_type: 'extract_v2', data_schema } },
  ],
  [
    'a pipeline',
    '/api/v1/pipelines',
    422,
    'structured_output_json_schema',
    {
      name: 'huge',
      parse_parameters: { structured_output_json_schema: JSON.stringify(HUGE_SCHEMA) },
    },
  ],
  [
    'a validation by an older client',
    '/compat/api/v1/extraction/extraction-agents/schema/validation',
    422,
    'data_schema',
    { data_schema },
  ],
  [
    'an agent of an older client',
    '/compat/api/v1/extraction/extraction-agents',
    400,
    'schema_validation',
    { name: 'huge', data_schema: JSON.stringify(HUGE_SCHEMA), config: {} },
  ],
];

it.each(REQUESTS)(
  '%s rejects a schema that expands too much through references',
  async (_, path, status, field, body) => {
    const answer = await call('POST', path, { body });
    const said = JSON.stringify(answer.body);
    expect(answer.status, said).toBe(status);
    expect(said).toContain(field);
    expect(said).toContain(REASON);
  },
);

it('jobs reject a huge schema, over HTTP and as an MCP tool', async () => {
  const file = await upload('invoice.md', INVOICE);
  const extract = await call('POST', '/api/v2/extract', {
    body: { file_input: file, configuration: { data_schema } },
  });
  expect([extract.status, JSON.stringify(extract.body)]).toEqual([400, expect.stringContaining(REASON)]);
  const structured_output_json_schema = JSON.stringify(HUGE_SCHEMA);
  const parse = await call('POST', '/api/v2/parse', {
    body: { file_id: file, configuration: { structured_output: true, structured_output_json_schema } },
  });
  expect([parse.status, JSON.stringify(parse.body)]).toEqual([422, expect.stringContaining(REASON)]);
  expect(await refused('extract', { file_input: file, data_schema })).toContain(REASON);
});

it('a schema text with 100,000 levels of JSON is rejected', async () => {
  const deep = `{"type":"object","properties":{"a":{"examples":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`;
  for (const text of [deep, deep.slice(0, 140_000)]) {
    const { status } = await call('POST', '/compat/api/v1/extraction/extraction-agents/schema/validation', {
      body: { data_schema: text },
    });
    expect(status).toBe(422);
  }
});

it('a schema that expands moderately is accepted', async () => {
  const line = { type: 'object', properties: { amount: { type: 'number' } } };
  const schema = doublingSchema(DOUBLINGS.allOf!, 8, line);
  const job = await run('extract', {
    file_input: await upload('invoice.md', INVOICE),
    configuration: {
      data_schema: { ...schema, properties: { ...INVOICE_SCHEMA.properties, x: { $ref: '#/$defs/d0' } } },
    },
  });
  expect(job).toMatchObject({ status: 'COMPLETED', extract_result: { invoice_number: 'INV-2041' } });
});

it('a job with a huge schema from an earlier release fails with the reason', async () => {
  const configuration = { data_schema: INVOICE_SCHEMA };
  const { id } = await createJob('extract', {
    file_input: await upload('invoice.md', INVOICE),
    configuration,
  });
  await untilEnded('extract', id);
  await env.DB.prepare(
    "update extract_jobs set status = 'PENDING', attempt = 0, configuration = json_set(configuration, '$.data_schema', json(?)) where id = ?",
  )
    .bind(JSON.stringify(HUGE_SCHEMA), id)
    .run();
  const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
  await createObjects(env)
    .jobState(id)
    .open({ kind: 'extract', jobId: id, ...ATTEMPT_LIMITS.extract });
  await runJob(createContext(env, execution), 'extract', id, performExtract);
  const job = await untilEnded('extract', id);
  expect(job).toMatchObject({ status: 'FAILED', attempt: 1, error_message: expect.stringContaining(REASON) });
});
