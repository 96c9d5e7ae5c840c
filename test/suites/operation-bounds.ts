import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/client.ts';
import type { ApiOperation } from '#test/support/openapi.ts';
import { bodyProbes, type Probe, queryProbes } from '#test/support/probes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import {
  type Body,
  expectError,
  expectSuccess,
  getIssues,
  type Issue,
  makeOnce,
  send,
  statusOfInvalid,
} from './operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS, type Inputs } from './operation-inputs.ts';

/** Fields with rules that the description cannot express. They reject more values than it says. */
const STRICTER = new Set(['component', 'data_schema', 'model', 'webhook_events']);

/** Checks that every operation rejects values outside the bounds of the description, and hides its answers from others. */
export function operationBounds(operations: ApiOperation[]): void {
  let owner: Tenant;
  let stranger: Tenant;
  let fixtures: Fixtures;

  beforeAll(async () => {
    owner = await createTenant();
    stranger = await createTenant();
    fixtures = createFixtures(owner);
  });

  describe.each(
    operations.filter(isProtectedOrBounded).map((operation) => [operation.operationId, operation] as const),
  )('%s', (id, operation) => {
    const make = INPUTS[id]!;
    const inputs = makeOnce(() => make(fixtures));
    const getKey = ({ key }: Inputs) => key ?? owner.key;
    const parameters = operation.parameters ?? [];

    if (operation.security?.length) {
      it('reveals nothing to another tenant', async () => {
        const given = await inputs();
        if (given.params || given.stranger) {
          expectError(operation, await send(operation, given, stranger.key), given.stranger ?? 404);
        } else if (operation.method === 'GET') {
          const answer = await send(operation, given, stranger.key);
          expectSuccess(answer);
          expect(JSON.stringify(answer.body)).not.toContain(owner.projectId);
        }
        for (const [name, foreign] of [
          ['project_id', stranger.projectId],
          ['organization_id', stranger.organizationId],
        ] as const) {
          if (!parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)) continue;
          expectError(
            operation,
            await send(operation, given, getKey(given), { ...given.query, [name]: foreign }),
            404,
          );
        }
      });
    }

    const query = parameters.filter((parameter) => parameter.in === 'query');
    if (query.length > 0) {
      it('rejects query parameters outside their bounds, and accepts those within', async () => {
        const given = await inputs();
        const probes = queryProbes(query);
        const ask = (probe: Probe<Record<string, string[]>>) =>
          send(operation, given, getKey(given), { ...given.query, ...probe.value });
        for (const probe of probes.outside) expectRefused(operation, await ask(probe), probe, 'query');
        for (const probe of probes.inside) expectTaken(operation, await ask(probe), probe, 'query');
      });
    }

    const schema = operation.requestBody?.content['application/json']?.schema;
    if (schema) {
      it('rejects body fields outside their bounds, and accepts those within', async () => {
        const given = await inputs();
        const probes = bodyProbes(schema, given.body);
        const ask = (probe: Probe<unknown>) =>
          send(operation, { ...given, body: probe.value }, getKey(given));
        for (const probe of probes.outside) expectRefused(operation, await ask(probe), probe, 'body');
        for (const probe of probes.inside) expectTaken(operation, await ask(probe), probe, 'body');
      });
    }
  });
}

/** Returns whether an operation requires a key or has bounds. A group without tests would fail. */
const isProtectedOrBounded = ({ security, parameters = [], requestBody }: ApiOperation) =>
  Boolean(security?.length) ||
  parameters.some((parameter) => parameter.in === 'query') ||
  requestBody?.content['application/json']?.schema !== undefined;

const startsWith = (loc: Issue['loc'], place: Issue['loc']) => place.every((key, at) => loc[at] === key);

function expectRefused(
  operation: ApiOperation,
  answer: Answer<Body>,
  probe: Probe<unknown>,
  part: string,
): void {
  const { places } = probe;
  const status = statusOfInvalid(operation);
  expect(answer.status, shorten(places)).toBe(status);
  expectError(operation, answer, status);
  const named = getIssues(operation, answer);
  const missed = places.filter(({ loc }) => !named.some((issue) => startsWith(issue.loc, [part, ...loc])));
  expect(missed, `not refused: ${shorten(missed)}`).toEqual([]);
}

/**
 * Checks that a value within the schema is accepted. Rules beyond the schema may still reject it with
 * `value_error`.
 */
function expectTaken(
  operation: ApiOperation,
  answer: Answer<Body>,
  probe: Probe<unknown>,
  part: string,
): void {
  expect(answer.status, `${shorten(probe.places)} ${shorten(answer.body)}`).toBeLessThan(500);
  if (answer.status < 300) expectSuccess(answer);
  else expectError(operation, answer);
  const wrong = getIssues(operation, answer).filter(
    (issue) =>
      issue.type !== 'value_error' &&
      // Lines of an imported text have rules of their own.
      issue.type !== 'import_error' &&
      !issue.loc.some((key) => STRICTER.has(String(key))) &&
      probe.places.some(({ loc }) => startsWith(issue.loc, [part, ...loc])),
  );
  expect(wrong, shorten(probe.places)).toEqual([]);
}

const shorten = (value: unknown) => JSON.stringify(value)?.slice(0, 1500);
