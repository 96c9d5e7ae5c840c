import { afterAll, beforeAll, vi } from 'vitest';
import { answerPublic } from './public-answers.ts';

/**
 * Stubs fetch for operations that look up a name, request a URL, deliver webhooks, read a bucket or ask a vector store.
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
