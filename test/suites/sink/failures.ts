import { describe, expect, test } from 'vitest';
import type { Sink } from '#src/ports/sink.ts';
import { chunks, directionOf, document } from './content.ts';
import type { SinkFixture, StoreFailure } from './fixture.ts';

const MAY_PASS: Record<StoreFailure, boolean> = {
  401: false,
  403: false,
  404: false,
  429: true,
  500: true,
  timeout: true,
};

/** Time limit of a sink that answers by words within it, after it has waited for the store. */
const PATIENT_SECONDS = 4;

const CALLS: [string, (sink: Sink) => Promise<unknown>][] = [
  ['stage', (sink) => sink.stage(document('a'), chunks('a', 1, ['text']))],
  ['publish', (sink) => sink.publish(document('a'), chunks('a', 1, ['text']), 1)],
  ['describe', (sink) => sink.describe(document('a'))],
  ['remove', (sink) => sink.remove(['a'], 1)],
  ['query', (sink) => sink.query({ vector: directionOf('x'), denseTopK: 1, sparseTopK: 0 })],
  ['chunksOf', (sink) => sink.chunksOf('a')],
  ['chunk', (sink) => sink.chunk('a/1/0')],
  ['stats', (sink) => sink.stats()],
];

/** What callers are told when the store refuses, fails or is silent. */
export function failureRules({ kind, failing, losing, withoutStore = [] }: SinkFixture) {
  type Opener = (silence?: number) => Sink | Promise<Sink>;
  const failures = Object.entries(failing) as unknown as [StoreFailure, Opener][];
  const asking = CALLS.filter(([call]) => !withoutStore.includes(call));
  const others = CALLS.filter(([call]) => withoutStore.includes(call));
  for (const [failure, open] of failures) {
    describe(`a store that answers ${failure}`, () => {
      test.each(asking)('%s: says whose failure it is and whether to try again', async (_, ask) => {
        await expect(ask(await open())).rejects.toMatchObject({
          code: 'upstream',
          message: expect.stringContaining(kind),
          retryable: MAY_PASS[failure],
        });
      });

      if (losing) {
        test('a query with words is answered by these alone, with the reason', async () => {
          const sink = await open(PATIENT_SECONDS);
          const arms = { vector: directionOf('text'), denseTopK: 1, sparseTopK: 1 };
          const { dense, sparse, warning } = await sink.query({ ...arms, text: 'text' });
          expect([dense, sparse.map(({ id }) => id)]).toEqual([[], ['b/1/0']]);
          expect(warning).toMatch(failure === 'timeout' ? 'did not answer' : kind);
        });

        // A place that is not there is no failure: all of its points are missing.
        test.runIf(Number(failure) !== 404)('is not taken to hold what it should', async () => {
          await expect((await open()).compare()).rejects.toMatchObject({
            code: 'upstream',
            retryable: MAY_PASS[failure],
          });
        });
      }

      if (others.length === 0) return;
      test.each(others)('%s: does without the store', async (_, ask) => {
        await expect(ask(await open())).resolves.not.toThrow();
      });
    });
  }
}
