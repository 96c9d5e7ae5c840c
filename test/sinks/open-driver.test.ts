import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import type { Filters, SinkQuery } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { searchChunks } from '#src/retrieval/modes/chunks.ts';
import { createReport, type RetrievalPorts } from '#src/retrieval/ports.ts';
import { mergeParameters } from '#src/retrieval-contract/parameters.ts';
import { defineSink } from '#src/sinks/define.ts';
import { openDriver } from '#src/sinks/open-driver.ts';

const deps = {
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  indexId: 'index',
};

/** Returns a sink with few capabilities and a list of its queries. */
function smallSink(): { sink: Sink; asked: SinkQuery[] } {
  const asked: SinkQuery[] = [];
  const done = async () => {};
  const driver = defineSink({
    kind: 'small',
    fields: {},
    location: () => [],
    capabilities: {
      sparse: 'none',
      filters: { operators: ['==', 'in'], nesting: false },
      transactions: false,
      batch: { chunks: 2, bytes: 100 },
    },
    check: done,
    open: () => ({
      ...{ ensure: done, stage: done, describe: done, remove: done, drop: done },
      publish: async () => true,
      publishMany: async () => [],
      listChunks: async () => [],
      chunk: async () => undefined,
      stats: async () => ({ documents: 0, chunks: 0, bytes: 0 }),
      compare: async () => ({ expected: 0, missing: 0 }),
      restore: async () => 0,
      async query(query) {
        asked.push(query);
        return { dense: [], sparse: [], chunks: [], timings: {} };
      },
    }),
  });
  return { sink: openDriver(driver, driver.settings.parse({}), deps), asked };
}

const query = { vector: Float32Array.of(1), text: 'walrus', denseTopK: 3, sparseTopK: 3 };
const known: Filters = { condition: 'or', filters: [{ key: 'a', operator: 'in', value: ['x'] }] };

describe('store', () => {
  it('without sparse search receives no sparse query', async () => {
    const { sink, asked } = smallSink();
    await sink.query({ ...query, filters: known });
    expect(asked).toEqual([{ vector: query.vector, denseTopK: 3, sparseTopK: 3, filters: known }]);
  });

  it.each<[string, Filters]>([
    ['text_match', { condition: 'and', filters: [{ key: 'a', operator: 'text_match', value: 'x' }] }],
    ['filter groups', { condition: 'and', filters: [known] }],
    [
      '!=',
      {
        condition: 'not',
        filters: [{ condition: 'and', filters: [{ key: 'a', operator: '!=', value: 1 }] }],
      },
    ],
  ])('rejects unsupported filters: %s', async (what, filters) => {
    const { sink, asked } = smallSink();
    await expect(sink.query({ ...query, filters })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(new RegExp(what)),
    });
    expect(asked).toEqual([]);
  });

  it('without sparse search answers hybrid queries by vectors alone and reports this', async () => {
    const { sink, asked } = smallSink();
    const embedder = { modelId: 'm', dimension: 1, embed: async () => [Float32Array.of(1)] };
    const report = createReport();
    const parameters = mergeParameters({ alpha: 0 }, {});
    const ports: Partial<RetrievalPorts> = { sink, embedder };
    await searchChunks('walrus', parameters, undefined, ports as RetrievalPorts, report);
    expect(asked).toMatchObject([{ vector: Float32Array.of(1) }]);
    expect(report.notes).toMatchObject({ alpha: '1', sparse: expect.stringContaining('dense search') });
  });
});
