import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiOperation, Schema } from '#test/support/openapi.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { expectError, expectSuccess, getIssues, makeOnce, send } from './operation-calls.ts';
import { createFixtures, type Fixtures, INPUTS, type Inputs } from './operation-inputs.ts';

/** Checks the contract of every operation in the description. */
export function operationContract(operations: ApiOperation[]): void {
  let owner: Tenant;
  let fixtures: Fixtures;

  beforeAll(async () => {
    owner = await createTenant();
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
      const inputs = makeOnce(() => make(fixtures));
      const getKey = ({ key }: Inputs) => key ?? owner.key;
      const parameters = operation.parameters ?? [];

      if (operation.security?.length) {
        it('requires a valid API key', async () => {
          expectError(operation, await send(operation, await inputs(), null), 401);
          expectError(operation, await send(operation, await inputs(), 'slc_nobody'), 401);
        });
      }

      it('succeeds as described', async () => {
        const given = await inputs();
        expectSuccess(await send(operation, given, getKey(given)));
      });

      const ids = parameters.filter(({ in: place, schema }) => place === 'path' && isId(schema));
      if (ids.length > 0) {
        it('answers 404 or 422 for an id that does not exist or is malformed', async () => {
          const given = await inputs();
          for (const { name, schema } of ids) {
            const params = { ...given.params, [name]: 'nothing' };
            const answer = await send(operation, { ...given, params }, getKey(given));
            // Ids with a prefix are opaque names; ids without a prefix are UUIDs.
            expectError(operation, answer, schema.format === 'uuid' ? 422 : 404);
            if (schema.format === 'uuid')
              expect(getIssues(operation, answer)[0]).toMatchObject({ loc: ['path', name] });
          }
        });
      }
    },
  );
}

const isId = ({ format, description = '' }: Schema) => format === 'uuid' || description.startsWith('A uuid');
