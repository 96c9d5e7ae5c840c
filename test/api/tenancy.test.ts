import { afterAll, beforeAll, vi } from 'vitest';
import { tenancy } from '#test/suites/tenancy.ts';
import { clientOperations, listedOperations, openAiOperations } from '#test/support/openapi.ts';

// Stubs fetch for the one operation that requests a URL. The test uses a literal public address, so no DNS
// lookup is needed.
beforeAll(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('a report'));
});
afterAll(() => {
  vi.restoreAllMocks();
});

tenancy([...(await listedOperations()), ...(await clientOperations()), ...(await openAiOperations())]);
