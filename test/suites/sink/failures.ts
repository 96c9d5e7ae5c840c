import { describe, expect, test } from 'vitest';
import type { Sink } from '#src/ports/sink.ts';
import { productName } from '#test/support/product-names.ts';
import { chunks, document, toDirection } from './content.ts';
import type { SinkFixture, StoreFailure } from './fixture.ts';

const MAY_PASS: Record<StoreFailure, boolean> = {
  401: false,
  403: false,
  404: false,
  429: true,
  500: true,
  timeout: true,
};

/** Timeout in seconds for a sink that falls back to keyword search after waiting for its store. */
const PATIENT_SECONDS = 4;

const CALLS: [string, (sink: Sink) => Promise<unknown>][] = [
  ['stage', (sink) => sink.stage(document('a'), chunks('a', 1, ['text']))],
  ['publish', (sink) => sink.publish(document('a'), chunks('a', 1, ['text']), 1)],
  ['describe', (sink) => sink.describe(document('a'))],
  ['remove', (sink) => sink.remove(['a'], 1)],
  ['query', (sink) => sink.query({ vector: toDirection('x'), denseTopK: 1, sparseTopK: 0 })],
  ['listChunks', (sink) => sink.listChunks('a')],
  ['chunk', (sink) => sink.chunk('a/1/0')],
  ['stats', (sink) => sink.stats()],
];

/** Tests errors when the store rejects requests, fails or is silent. */
export function failureRules({ kind, failing, losing, withoutStore = [] }: SinkFixture) {
  type Opener = (silence?: number) => Sink | Promise<Sink>;
  const failures = Object.entries(failing) as unknown as [StoreFailure, Opener][];
  const asking = CALLS.filter(([call]) => !withoutStore.includes(call));
  const others = CALLS.filter(([call]) => withoutStore.includes(call));
  for (const [failure, open] of failures) {
    describe(`store that answers ${failure}`, () => {
      test.each(asking)('%s: fails with the kind of the sink and whether to retry', async (_, ask) => {
        await expect(ask(await open())).rejects.toMatchObject({
          code: 'upstream',
          message: expect.stringMatching(`${productName(kind)}|The index|The data sink`),
          retryable: MAY_PASS[failure],
        });
      });

      if (losing) {
        test('is not needed for keyword search, which returns a warning', async () => {
          const sink = await open(PATIENT_SECONDS);
          const arms = { vector: toDirection('text'), denseTopK: 1, sparseTopK: 1 };
          const { dense, sparse, warning } = await sink.query({ ...arms, text: 'text' });
          expect([dense, sparse.map(({ id }) => id)]).toEqual([[], ['b/1/0']]);
          expect(warning).toMatch(failure === 'timeout' ? 'did not answer' : productName(kind));
        });

        // A missing collection is not an error: all its points are missing.
        test.runIf(Number(failure) !== 404)('makes a comparison fail', async () => {
          await expect((await open()).compare()).rejects.toMatchObject({
            code: 'upstream',
            retryable: MAY_PASS[failure],
          });
        });
      }

      if (others.length === 0) return;
      test.each(others)('%s: works without the store', async (_, ask) => {
        await expect(ask(await open())).resolves.not.toThrow();
      });
    });
  }
}
