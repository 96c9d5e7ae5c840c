import { describe, expect, test } from 'vitest';
import type { Sink } from '#src/sinks/sink.ts';
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

const CALLS: [string, (sink: Sink) => Promise<unknown>][] = [
  ['stage', (sink) => sink.stage(document('a'), chunks('a', 1, ['text']))],
  ['publish', (sink) => sink.publish(document('a'), chunks('a', 1, ['text']), 1)],
  ['describe', (sink) => sink.describe(document('a'))],
  ['remove', (sink) => sink.remove(['a'], 1)],
  ['query', (sink) => sink.query({ vector: directionOf('x'), text: 'x', denseTopK: 1, sparseTopK: 1 })],
  ['chunksOf', (sink) => sink.chunksOf('a')],
  ['chunk', (sink) => sink.chunk('a/1/0')],
  ['stats', (sink) => sink.stats()],
];

/** What callers are told when the store refuses, fails or is silent. */
export function failureRules({ kind, failing, withoutStore = [] }: SinkFixture) {
  const failures = Object.entries(failing) as unknown as [StoreFailure, () => Sink | Promise<Sink>][];
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

      if (others.length === 0) return;
      test.each(others)('%s: does without the store', async (_, ask) => {
        await expect(ask(await open())).resolves.not.toThrow();
      });
    });
  }
}
