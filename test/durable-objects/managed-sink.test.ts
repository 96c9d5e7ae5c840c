import { expect, test, vi } from 'vitest';
import type { Filters, IndexedChunk, IndexedDocument, SinkAnswer } from '#src/ports/index-types.ts';
import type { Shard, ShardQuery } from '#src/ports/shard.ts';
import type { Sink } from '#src/ports/sink.ts';
import { type KnownSplit, queryShards } from '#src/search/fan-out.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Directory, openManaged } from './managed-index.ts';
import { chunks, document, getShard, objects, occupy, toDirection } from './shard.ts';

function freshIndex() {
  const indexId = crypto.randomUUID();
  const directory = new Directory();
  return {
    indexId,
    directory,
    /** Opens the index as another consumer would. */
    sink: () => openManaged(indexId, directory),
    shard: (number: number) => getShard(indexId, number),
  };
}

const makeText = (version: number, position: number) =>
  `all v${version} w${position % 41} only${version}x${position}`;

/** Creates chunks as ingestion does: batches refer to their neighbours. */
function createBatches(of: IndexedDocument, count: number, size: number): IndexedChunk[][] {
  const texts = Array.from({ length: count }, (_, i) => makeText(of.version, i));
  const all = chunks(of.documentId, of.version, texts);
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => {
    const batch = all.slice(i * size, (i + 1) * size);
    const [first, last] = [batch[0]!, batch.at(-1)!];
    const before = all[first.position - 1]?.id;
    const after = all[last.position + 1]?.id;
    if (before) first.previousId = before;
    if (after) last.nextId = after;
    return batch;
  });
}

async function write(
  sink: Sink,
  of: IndexedDocument,
  count: number,
  size = sink.capabilities.batch.chunks,
): Promise<void> {
  const batches = createBatches(of, count, size);
  for (const batch of batches.slice(0, -1)) await sink.stage(of, batch);
  await sink.publish(of, batches.at(-1)!, count);
}

function ask(sink: Sink, text: string, k = 50): Promise<SinkAnswer> {
  return sink.query({ text, vector: toDirection(text), denseTopK: k, sparseTopK: k });
}

const QUERIES = ['w3', 'only1x255 only1x256', 'big w40', 'all w7', 'small'];

test('a document that does not fit into its shard continues in the next shard and has the same search results', async () => {
  const small = document('small', 1, { title: 'small' });
  const big = document('big', 1, { title: 'big book', metadata: { kind: 'book' } });
  const whole = freshIndex();
  const parts = freshIndex();
  await write(parts.sink(), small, 40);
  await occupy(parts.shard(0), 40 + 600);
  for (const { sink } of [whole, parts]) await write(sink(), big, 700);
  await write(whole.sink(), small, 40);
  expect(parts.directory.ranges.get('big')).toEqual({ first: 0, last: 1 });
  expect((await parts.shard(1).stats()).chunks).toBe(700 - 512);

  for (const text of QUERIES) {
    const [expected, found] = [await ask(whole.sink(), text), await ask(parts.sink(), text)];
    expect(found.sparse).toEqual(expected.sparse);
    expect(found.dense).toEqual(expected.dense);
    const byId = (answer: SinkAnswer) => new Map(answer.chunks.map((chunk) => [chunk.id, chunk]));
    expect(byId(found)).toEqual(byId(expected));
  }
  const filters = { condition: 'and', filters: [{ key: 'kind', operator: '==', value: 'book' }] } as const;
  const filtered = await parts.sink().query({
    text: 'all',
    denseTopK: 0,
    sparseTopK: 1_000,
    filters: { ...filters, filters: [...filters.filters] },
  });
  expect(filtered.sparse).toHaveLength(700);
  expect(await parts.sink().stats()).toMatchObject({ documents: 2, chunks: 740 });

  const read: string[] = [];
  for (let from = 0; from < 700; from += 100) {
    read.push(...(await parts.sink().listChunks('big', { from, limit: 100 })).map((chunk) => chunk.text));
  }
  expect(read).toEqual(Array.from({ length: 700 }, (_, i) => makeText(1, i)));
});

test('every query sees one whole version of a document in several shards', async () => {
  const { sink, shard } = freshIndex();
  await occupy(shard(0), 300);
  await write(sink(), document('big'), 500, 100);
  const seen = new Set<string>();
  let done = false;
  let queries = 0;
  /** Resolves once a query that started after this call has ended. */
  const untilQueried = () => {
    const wanted = queries + 2;
    return vi.waitUntil(() => queries >= wanted, { timeout: PATIENCE_MS, interval: 1 });
  };
  const writing = (async () => {
    await untilQueried();
    for (const [version, count] of [
      [2, 600],
      [3, 50],
      [4, 700],
    ] as const) {
      await write(sink(), document('big', version), count, 100);
      await untilQueried();
    }
    await sink().remove(['big'], 5);
  })().finally(() => {
    done = true;
  });
  // If a query fails, the test ends without waiting for the writes.
  writing.catch(() => {});
  const expected: Record<string, number> = { 1: 500, 2: 600, 3: 50, 4: 700 };
  while (!done) {
    const { sparse } = await sink().query({ text: 'all', denseTopK: 0, sparseTopK: 1_000 });
    const versions = new Set(sparse.map((hit) => hit.id.split('/')[1]!));
    expect(versions.size).toBeLessThan(2);
    for (const version of versions) expect(sparse).toHaveLength(expected[version]!);
    for (const version of versions) seen.add(version);
    queries += 1;
    await scheduler.wait(1);
  }
  await writing;
  expect([...seen]).toEqual(['1', '2', '3', '4']);
  expect((await ask(sink(), 'all')).chunks).toEqual([]);
  expect(await sink().listChunks('big')).toEqual([]);
});

test('the first shard decides which version is published, even if the other shards are late', async () => {
  const { sink, shard, directory } = freshIndex();
  await occupy(shard(0), 100);
  const metadata = { kind: 'book' };
  await write(sink(), document('big', 1, { metadata }), 150, 50);
  const staging = sink();
  const next = document('big', 2, { metadata });
  for (const batch of createBatches(next, 130, 50)) await staging.stage(next, batch);
  expect(directory.ranges.get('big')).toEqual({ first: 0, last: 1 });
  const texts = async () => (await sink().listChunks('big')).map((chunk) => chunk.text);
  const book: Filters = { condition: 'and', filters: [{ key: 'kind', operator: '==', value: 'book' }] };
  const hits = async () => {
    const query = { text: 'all', denseTopK: 0, sparseTopK: 1_000 };
    const [all, filtered] = await Promise.all([
      sink().query(query),
      sink().query({ ...query, filters: book }),
    ]);
    expect(filtered.sparse).toEqual(all.sparse);
    return all.sparse.length;
  };
  expect(await hits()).toBe(150);

  const [kept] = (await shard(0).listVersions('big')).filter((each) => each.version === 2);
  await shard(0).publish('big', 2, kept!.chunks, 130);
  expect(await hits()).toBe(130);
  expect(await texts()).toEqual(Array.from({ length: 130 }, (_, i) => makeText(2, i)));

  // A late publish of an older version changes nothing.
  await sink().publish(document('big', 1), [], 150);
  expect(await hits()).toBe(130);
  await sink().publish(document('big', 2), [], 130);
  expect(await hits()).toBe(130);
  expect((await shard(1).listVersions('big')).map(({ version }) => version)).toEqual([2]);

  await sink().describe({ documentId: 'big', title: 'renamed', metadata: {} });
  const renamed = await sink().query({ text: 'renamed', denseTopK: 0, sparseTopK: 1_000 });
  expect(renamed.sparse).toHaveLength(130);
});

test('the query is repeated if a version is published between the answers of two shards', async () => {
  const { sink, shard, indexId } = freshIndex();
  await occupy(shard(0), 100);
  await write(sink(), document('big'), 150, 50);
  const next = document('big', 2);
  const staging = sink();
  for (const batch of createBatches(next, 130, 50)) await staging.stage(next, batch);
  const [first, second] = [objects.searchShard(indexId, 0), objects.searchShard(indexId, 1)];
  const asked: (number | undefined)[] = [];
  const answered = Promise.withResolvers<void>();
  const early: Pick<Shard, 'query' | 'statistics'> = {
    statistics: (text, split) => first.statistics(text, split),
    async query(query) {
      const answer = await first.query(query);
      answered.resolve();
      return answer;
    },
  };
  const late: Pick<Shard, 'query' | 'statistics'> = {
    statistics: (text, split) => second.statistics(text, split),
    async query(query) {
      asked.push(query.split?.big?.version);
      // By then, the first shard has answered with the old version.
      await answered.promise;
      if (asked.length === 1) await staging.publish(document('big', 2), [], 130);
      return second.query(query);
    },
  };
  const { sparse } = await queryShards([early, late], { text: 'all', denseTopK: 0, sparseTopK: 1_000 });
  expect(asked).toEqual([1, 2]);
  expect(sparse).toHaveLength(130);
  expect(new Set(sparse.map((hit) => hit.id.split('/')[1]))).toEqual(new Set(['2']));
});

test('a query of a known document in several shards needs no second request', async () => {
  const { sink, shard, indexId } = freshIndex();
  await occupy(shard(0), 100);
  await write(sink(), document('big'), 150, 50);
  const asked: string[] = [];
  const [first, second] = [objects.searchShard(indexId, 0), objects.searchShard(indexId, 1)];
  const counted: Pick<Shard, 'query' | 'statistics'> = {
    statistics(text, split) {
      asked.push('statistics');
      return second.statistics(text, split);
    },
    query(query) {
      asked.push('query');
      return second.query(query);
    },
  };
  const waves = async (query: Partial<ShardQuery>, settled?: KnownSplit) => {
    asked.length = 0;
    const arms = { denseTopK: 200, sparseTopK: 200, ...query };
    const { sparse, dense } = await queryShards([first, counted], arms, settled);
    expect(sparse.length + dense.length).toBe(150);
    return asked.join(' ');
  };
  const settled = { split: {} };
  expect(await waves({ text: 'all' }, settled)).toBe('statistics statistics query');
  expect(await waves({ text: 'all' }, settled)).toBe('statistics query');
  expect(await waves({ vector: toDirection('all') }, settled)).toBe('query');
  expect(await waves({ vector: toDirection('all') })).toBe('query query');
});

test('a document with a missing part is left out of the results', async () => {
  const { sink, shard } = freshIndex();
  await write(sink(), document('small'), 10);
  await occupy(shard(0), 60);
  await write(sink(), document('big'), 100, 50);
  const found = async () => {
    const { sparse } = await sink().query({ text: 'all', denseTopK: 0, sparseTopK: 1_000 });
    return sparse.map((hit) => hit.documentId);
  };
  expect(await found()).toHaveLength(110);
  await shard(1).remove(['big'], 9);
  expect(await found()).toEqual(Array(10).fill('small'));
});

test('a document whose shard is full is written to another shard as a whole', async () => {
  const { sink, shard } = freshIndex();
  await write(sink(), document('a'), 10);
  await occupy(shard(0), 10);
  await write(sink(), document('a', 2), 20);
  const { sparse } = await sink().query({ text: 'all', denseTopK: 0, sparseTopK: 100 });
  expect(sparse.map((hit) => hit.id.split('/')[1])).toEqual(Array(20).fill('2'));
});

test('a full shard takes no new documents until it has space again', async () => {
  const { sink, shard, directory } = freshIndex();
  await write(sink(), document('a'), 1);
  await occupy(shard(0), 2);
  await write(sink(), document('b'), 1);
  expect(directory.open).toBe(1);
  await write(sink(), document('c'), 1);
  expect(directory.ranges.get('c')).toEqual({ first: 1, last: 1 });
  await occupy(shard(1), 100);
  await write(sink(), document('d'), 1);
  // Counted by the documents in the directory, the first shard is nearly empty.
  expect(directory).toMatchObject({ open: 0, count: 2 });
});
