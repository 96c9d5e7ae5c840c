import { afterAll, beforeAll, vi } from 'vitest';
import { answerPublic } from './public-answers.ts';

/**
 * Stubs fetch for operations that request a URL, deliver webhooks or read a bucket. The tests use literal public
 * addresses, so no DNS lookup is needed.
 */
export function stubFetch(): void {
  beforeAll(() => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) =>
      answerPublic(new Request(input, init).url),
    );
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
}
