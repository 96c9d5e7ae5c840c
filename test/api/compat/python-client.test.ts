import { beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { OPERATIONS } from '#src/api/operations.ts';
import { toClient } from '#src/vocabulary/translate.ts';
import { send } from '#test/suites/operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS, type Inputs } from '#test/suites/operation-inputs.ts';
import { describedOperations } from '#test/support/openapi.ts';
import { PYTHON_OPERATIONS } from '#test/support/python-client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const nameless = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
const operations = await describedOperations('/compat');
const called = PYTHON_OPERATIONS.map((name) => {
  const operation = operations.find(
    ({ method, path }) => nameless(`${method} ${path.slice('/compat'.length)}`) === nameless(name),
  );
  return [name, operation] as const;
});

let tenant: Tenant;
let fixtures: Fixtures;
beforeAll(async () => {
  tenant = await createTenant();
  fixtures = createFixtures(tenant);
});

it.each(called)('%s returns what the Python client requires', async (name, operation) => {
  expect(operation, `${name} is missing under /compat`).toBeDefined();
  const { operationId } = operation!;
  const given = inClientWords(operationId, await INPUTS[operationId]!(fixtures));
  // The test client checks every answer under /compat against the Python client's schemas.
  const answer = await send(operation!, given, given.key ?? tenant.key);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
});

function inClientWords(operationId: string, given: Inputs): Inputs {
  const body = OPERATIONS.find(({ id }) => id === operationId)?.body;
  if (!('body' in given) || !body || !('json' in body)) return given;
  return { ...given, body: toClient(body.json as z.ZodType, given.body) };
}
