import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/client.ts';
import type { ApiOperation, Schema } from '#test/support/openapi.ts';
import { bodyProbes, type Probe, queryProbes } from '#test/support/probes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import {
  type Body,
  expectError,
  expectSuccess,
  type Issue,
  issuesOf,
  send,
  statusOfInvalid,
} from './operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS, type Inputs } from './operation-inputs.ts';

/** Places with rules that the description cannot state: these refuse more than it says. */
const STRICTER = new Set(['component', 'data_schema', 'model', 'webhook_events']);

/** What every operation of the description owes its callers. */
export function operationContract(operations: ApiOperation[]): void {
  let owner: Tenant;
  let stranger: Tenant;
  let fixtures: Fixtures;

  beforeAll(async () => {
    owner = await createTenant();
    stranger = await createTenant();
    fixtures = createFixtures(owner);
  });

  describe.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    (id, operation) => {
      const make = INPUTS[id];
      if (!make) {
        it('has inputs in the table', () => expect.fail(`add ${id} to test/suites/operation-inputs.ts`));
        return;
      }
      let made: Promise<Inputs> | undefined;
      const inputs = () => {
        made ??= Promise.resolve(make(fixtures));
        return made;
      };
      const keyOf = ({ key }: Inputs) => key ?? owner.key;
      const parameters = operation.parameters ?? [];

      if (operation.security?.length) {
        it('is for those with a key', async () => {
          expectError(operation, await send(operation, await inputs(), null), 401);
          expectError(operation, await send(operation, await inputs(), 'slc_nobody'), 401);
        });

        it('shows nothing of one tenant to another', async () => {
          const given = await inputs();
          if (given.params || given.stranger) {
            expectError(operation, await send(operation, given, stranger.key), given.stranger ?? 404);
          } else if (operation.method === 'GET') {
            const answer = await send(operation, given, stranger.key);
            expectSuccess(operation, answer);
            expect(JSON.stringify(answer.body)).not.toContain(owner.projectId);
          }
          for (const [name, foreign] of [
            ['project_id', stranger.projectId],
            ['organization_id', stranger.organizationId],
          ] as const) {
            if (!parameters.some((parameter) => parameter.in === 'query' && parameter.name === name))
              continue;
            expectError(
              operation,
              await send(operation, given, keyOf(given), { ...given.query, [name]: foreign }),
              404,
            );
          }
        });
      }

      it('succeeds as it is described', async () => {
        const given = await inputs();
        expectSuccess(operation, await send(operation, given, keyOf(given)));
      });

      const query = parameters.filter((parameter) => parameter.in === 'query');
      if (query.length > 0) {
        it('holds its query to its bounds', async () => {
          const given = await inputs();
          const probes = queryProbes(query);
          const ask = (probe: Probe<Record<string, string[]>>) =>
            send(operation, given, keyOf(given), { ...given.query, ...probe.value });
          for (const probe of probes.outside) expectRefused(operation, await ask(probe), probe, 'query');
          for (const probe of probes.inside) expectTaken(operation, await ask(probe), probe, 'query');
        });
      }

      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema) {
        it('holds its body to its bounds', async () => {
          const given = await inputs();
          const probes = bodyProbes(schema, given.body);
          const ask = (probe: Probe<unknown>) =>
            send(operation, { ...given, body: probe.value }, keyOf(given));
          for (const probe of probes.outside) expectRefused(operation, await ask(probe), probe, 'body');
          for (const probe of probes.inside) expectTaken(operation, await ask(probe), probe, 'body');
        });
      }

      const ids = parameters.filter(({ in: place, schema }) => place === 'path' && isId(schema));
      if (ids.length > 0) {
        it('finds nothing under ids that are none, or says that they are none', async () => {
          const given = await inputs();
          for (const { name, schema } of ids) {
            const params = { ...given.params, [name]: 'nothing' };
            const answer = await send(operation, { ...given, params }, keyOf(given));
            // Ids with a prefix are names like any other; bare ones are uuids.
            expectError(operation, answer, schema.format === 'uuid' ? 422 : 404);
            if (schema.format === 'uuid')
              expect(issuesOf(operation, answer)[0]).toMatchObject({ loc: ['path', name] });
          }
        });
      }
    },
  );
}

const isId = ({ format, description = '' }: Schema) => format === 'uuid' || description.startsWith('A uuid');

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
  const named = issuesOf(operation, answer);
  const missed = places.filter(({ loc }) => !named.some((issue) => startsWith(issue.loc, [part, ...loc])));
  expect(missed, `not refused: ${shorten(missed)}`).toEqual([]);
}

/** Rules beyond the schema may still refuse the value: they say `value_error`. */
function expectTaken(
  operation: ApiOperation,
  answer: Answer<Body>,
  probe: Probe<unknown>,
  part: string,
): void {
  expect(answer.status, `${shorten(probe.places)} ${shorten(answer.body)}`).toBeLessThan(500);
  if (answer.status < 300) expectSuccess(operation, answer);
  else expectError(operation, answer);
  const wrong = issuesOf(operation, answer).filter(
    (issue) =>
      issue.type !== 'value_error' &&
      !issue.loc.some((key) => STRICTER.has(String(key))) &&
      probe.places.some(({ loc }) => startsWith(issue.loc, [part, ...loc])),
  );
  expect(wrong, shorten(probe.places)).toEqual([]);
}

const shorten = (value: unknown) => JSON.stringify(value)?.slice(0, 1500);
