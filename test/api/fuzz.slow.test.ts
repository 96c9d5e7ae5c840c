import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPath, expectError } from '#test/suites/operation-calls.ts';
import { createFixtures, INPUTS, type Inputs } from '#test/suites/operation-inputs.ts';
import { call } from '#test/support/client.ts';
import { bodyArbitrary, hostileText, nestedBodies, queryArbitrary } from '#test/support/fuzz.ts';
import { type ApiOperation, listedOperations } from '#test/support/openapi.ts';
import { runs } from '#test/support/seed.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const RUNS_PER_OPERATION = 12;

/** Operations that call an external system may answer that it failed. */
const REACH_OUT = new Set(['uploadFileFromUrl', 'validateEmbeddingConnection', 'retrieve', 'chat']);

const operations = await listedOperations();

stubFetch();

interface Shot {
  params: Record<string, string>;
  query: Record<string, string>;
  body: string | undefined;
  type: string | undefined;
}

function shots(operation: ApiOperation, valid: Inputs): fc.Arbitrary<Shot> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const json = schema && bodyArbitrary(schema, valid.body).map((value) => JSON.stringify(value));
  const odd = fc.constantFrom(
    '',
    '{',
    'null',
    '[[',
    '"text"',
    '\ufeff{}',
    '{"a":1}{',
    '1e999',
    '{"__proto__":{"a":1}}',
  );
  const parameters = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
  const params = Object.entries(valid.params ?? {}).map(([name, value]) => [
    name,
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(value) },
      fc.uuid(),
      hostileText.filter((text) => text !== ''),
    ),
  ]) as [string, fc.Arbitrary<string>][];
  return fc.record({
    params: fc.record(Object.fromEntries(params)),
    query: queryArbitrary(parameters),
    body: json ? fc.oneof({ weight: 6, arbitrary: json }, odd) : fc.option(odd, { nil: undefined, freq: 4 }),
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constant('application/json') },
      fc.constantFrom(
        undefined,
        'text/plain',
        'multipart/form-data',
        'multipart/form-data; boundary=b',
        'application/json; charset=utf-16',
        'a/b/c',
      ),
    ),
  });
}

describe('any input', () => {
  let owner: Tenant;
  beforeAll(async () => {
    owner = await createTenant();
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'to %s gets an answer that matches the description, without a server error',
    async (id, operation) => {
      const make = INPUTS[id];
      if (!make) return expect.fail(`add ${id} to test/suites/operation-inputs.ts`);
      const valid = await make(createFixtures(owner));
      const key = valid.key ?? owner.key;
      await fc.assert(
        fc.asyncProperty(shots(operation, valid), async ({ params, query, body, type }) => {
          const path = buildPath(operation, { params }, query);
          const sendsBody = operation.method !== 'GET' && body !== undefined;
          const answer = await call(operation.method, path, {
            key,
            ...(sendsBody && {
              raw: new TextEncoder().encode(body),
              headers: type ? { 'content-type': type } : {},
            }),
          });
          if (answer.status < 300) return;
          const upstream = answer.status === 502 || answer.status === 503;
          const allowed = upstream && REACH_OUT.has(id);
          if (!allowed) expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
          // An unusual id can turn the path into one without an operation. The answer still has the error
          // format.
          expectError(operation, answer as never);
        }),
        { numRuns: runs(RUNS_PER_OPERATION), endOnFailure: true },
      );
    },
  );

  it.each(
    operations
      .filter(({ requestBody }) => requestBody?.content['application/json'])
      .map((operation) => [operation.operationId, operation] as const),
  )('to %s can be nested to any depth without a server error', async (id, operation) => {
    const make = INPUTS[id];
    if (!make) return expect.fail(`add ${id} to test/suites/operation-inputs.ts`);
    const valid = await make(createFixtures(owner));
    const path = buildPath(operation, valid);
    const headers = { 'content-type': 'application/json' };
    const schema = operation.requestBody?.content['application/json']?.schema ?? {};
    for (const text of nestedBodies(schema, valid.body)) {
      const answer = await call(operation.method, path, { key: valid.key ?? owner.key, headers, raw: text });
      expect(answer.status, text.slice(0, 200)).toBeLessThan(500);
      if (answer.status >= 300) expectError(operation, answer as never);
    }
  });
});
