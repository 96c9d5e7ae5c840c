import { describe, expect, it } from 'vitest';
import { operationContract } from '#test/suites/operation-contract.ts';
import { INPUTS } from '#test/suites/operation-inputs.ts';
import { SPECIFIED } from '#test/suites/specified-operations.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';
import { stubFetch } from '#test/support/stubbed-fetch.ts';

const operations = await listedOperations();
const forClients = [...(await clientOperations()), ...(await openAiOperations())];

stubFetch();

describe('the API description', () => {
  it.each(SPECIFIED)('has %s %s with %i %s', (method, path, status, deprecated) => {
    const found = operations.find((operation) => operation.method === method && operation.path === path);
    expect(found).toBeDefined();
    expect(found?.responses[status]).toBeDefined();
    expect(found?.deprecated ?? false).toBe(deprecated === 'deprecated');
  });

  it('gives every operation a unique id, and the inputs table has no other ids', () => {
    const names = [...operations, ...forClients].map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(INPUTS).filter((name) => !names.includes(name))).toEqual([]);
  });
});

// The operations of the other interfaces are in contract.slow.test.ts.
operationContract(operations);
