import { describe, expect, it } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import type { Sink } from '#src/ports/sink.ts';
import { withSinkTimeout } from '#src/sinks/sink-timeout.ts';

const never = new Promise<never>(() => {});

/** Returns a sink whose methods all run `work`. */
function sinkThat(work: () => Promise<unknown>): Sink {
  const each = work as () => Promise<never>;
  return {
    kind: 'test',
    capabilities: {
      sparse: 'native',
      filters: { operators: [], nesting: false },
      transactions: true,
      batch: { chunks: 7, bytes: 7 },
    },
    ensure: each,
    stage: each,
    publish: each,
    publishMany: each,
    describe: each,
    remove: each,
    query: each,
    listChunks: each,
    chunk: each,
    stats: each,
    compare: each,
    restore: each,
    drop: each,
  };
}

const calls: [string, (sink: Sink) => Promise<unknown>][] = [
  ['ensure', (sink) => sink.ensure(3)],
  ['stage', (sink) => sink.stage({ documentId: 'd', version: 1, title: 't', metadata: {} }, [])],
  ['publish', (sink) => sink.publish({ documentId: 'd', version: 1, title: 't', metadata: {} }, [], 1)],
  ['publishMany', (sink) => sink.publishMany([])],
  ['describe', (sink) => sink.describe({ documentId: 'd', title: 't', metadata: {} })],
  ['remove', (sink) => sink.remove(['d'], 1)],
  ['query', (sink) => sink.query({ text: 'x', denseTopK: 0, sparseTopK: 1 })],
  ['listChunks', (sink) => sink.listChunks('d')],
  ['chunk', (sink) => sink.chunk('c')],
  ['stats', (sink) => sink.stats()],
  ['compare', (sink) => sink.compare()],
];

describe('sink with a timeout', () => {
  it.each(calls)('%s: fails with a retryable error if the sink is silent', async (_name, ask) => {
    const failure = await ask(
      withSinkTimeout(
        sinkThat(() => never),
        0.02,
      ),
    ).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Upstream);
    expect(failure).toMatchObject({ retryable: true });
  });

  it.each(calls)('%s: returns answers and failures unchanged', async (_name, ask) => {
    expect(
      await ask(
        withSinkTimeout(
          sinkThat(async () => 'an answer'),
          5,
        ),
      ),
    ).toBe('an answer');
    const failing = withSinkTimeout(
      sinkThat(async () => {
        throw new Error('broken');
      }),
      5,
    );
    await expect(ask(failing)).rejects.toThrow('broken');
  });
});
