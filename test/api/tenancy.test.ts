import { afterAll, beforeAll, vi } from 'vitest';
import { tenancy } from '#test/suites/tenancy.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';

// The one operation that reaches out finds its file here; literal public addresses need no lookup.
beforeAll(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('a report'));
});
afterAll(() => {
  vi.restoreAllMocks();
});

tenancy([...(await listedOperations()), ...(await clientOperations()), ...(await openAiOperations())]);
