import { describe, expect, it } from 'vitest';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import type { WholeDocument } from '#src/ports/sink.ts';
import { nativeSink } from '#src/sinks/native/native-sink.ts';
import type { NewVersion } from '#src/sinks/native/search-store.ts';

/** Opens a sink over a store that fails for the document `bad`, and records what it was asked to publish. */
function openSink(failure: Error) {
  const calls: string[][] = [];
  const store = {
    async publish(versions: NewVersion[]) {
      const ids = versions.map(({ document }) => document.documentId);
      calls.push(ids);
      if (ids.includes('bad')) throw failure;
      return versions.map(() => 'published' as const);
    },
  };
  const deps = { indexId: 'index', directory: { assign: async () => {} } };
  const sink = nativeSink({ store, deps } as unknown as Parameters<typeof nativeSink>[0]);
  return { sink, calls };
}

function document(documentId: string, version = 1): WholeDocument {
  const chunk = {
    id: `${documentId}-0`,
    position: 0,
    hash: 'h',
    text: 'a text',
    vector: new Float32Array([1]),
  };
  const indexed = { documentId, version, title: documentId, metadata: {} };
  return { document: indexed, chunks: [chunk] } as unknown as WholeDocument;
}

describe('a call with many documents', () => {
  it('publishes them together', async () => {
    const { sink, calls } = openSink(new BadRequest('no'));
    const outcomes = await sink.publishMany([document('a'), document('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(calls).toEqual([['a', 'b']]);
  });

  it('publishes the others if the store permanently rejects one', async () => {
    const { sink, calls } = openSink(new BadRequest('no'));
    const outcomes = await sink.publishMany([document('a'), document('bad'), document('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(calls).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  it('fails as a whole if the store fails for a moment, so that all of it is tried again', async () => {
    const { sink, calls } = openSink(new Upstream('later', { retryable: true }));
    await expect(sink.publishMany([document('a'), document('bad')])).rejects.toThrow('later');
    expect(calls).toHaveLength(1);
  });

  it('publishes versions of the same document one after the other', async () => {
    const { sink, calls } = openSink(new BadRequest('no'));
    await sink.publishMany([document('a', 1), document('b'), document('a', 2)]);
    expect(calls).toEqual([['a'], ['b'], ['a']]);
  });
});
