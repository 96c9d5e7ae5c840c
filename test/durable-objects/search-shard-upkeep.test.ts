import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { SearchShard } from '#objects/search-shard.ts';
import type { SearchHit } from '#src/ports/index-types.ts';
import type { ShardAnswer } from '#src/ports/shard.ts';
import { chunks, document, freshShard, occupy, toDirection } from './shard.ts';

type Shard = DurableObjectStub<SearchShard>;

const QUERIES = ['w3', 'w1 w40', 'title7 w11', 'all w499'];
const CHUNKS = 600;

function makeTexts(number: number): string[] {
  return Array.from(
    { length: CHUNKS },
    (_, i) => `all w${(i * 7 + number) % 500} w${i % 41} only${number}x${i}`,
  );
}

async function fill(shard: Shard, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i++) {
    const of = document(`doc ${String(i).padStart(3, '0')}`, 1, { title: `title${i}` });
    await shard.stage(of, chunks(of.documentId, 1, makeTexts(i)));
    await shard.publish(of.documentId, 1, CHUNKS);
  }
}

async function answers(shard: Shard): Promise<{ dense: SearchHit[]; sparse: SearchHit[] }[]> {
  const all: { dense: SearchHit[]; sparse: SearchHit[] }[] = [];
  for (const text of QUERIES) {
    const answer: ShardAnswer = await shard.query({
      text,
      vector: toDirection(text),
      denseTopK: 10,
      sparseTopK: 50,
    });
    all.push({ dense: answer.dense, sparse: answer.sparse });
  }
  return all;
}

async function settle(shard: Shard): Promise<number> {
  let runs = 0;
  while (await runDurableObjectAlarm(shard)) runs++;
  return runs;
}

function rows(shard: Shard, from: string): Promise<number> {
  return runInDurableObject(shard, (_, state) =>
    Number(state.storage.sql.exec(`SELECT count(*) AS n FROM ${from}`).one().n),
  );
}

async function recentChunks(shard: Shard): Promise<number> {
  return runInDurableObject(shard, (_, state) =>
    Number(state.storage.sql.exec('SELECT coalesce(sum(chunks), 0) AS n FROM recent_batch').one().n),
  );
}

test('upkeep, eviction and the order of batches do not change results', async () => {
  const shard = freshShard();
  await fill(shard, 0, 3);
  // The alarm first runs because chunks were added, and then because none were added since.
  expect(await settle(shard)).toBe(2);
  expect(await recentChunks(shard)).toBe(0);
  expect(await rows(shard, 'posting_run')).toBe(1);
  await fill(shard, 3, 18);
  expect(await rows(shard, 'posting_run')).toBe(4);
  const before = await answers(shard);
  expect(before.flatMap((each) => each.sparse)).not.toHaveLength(0);

  expect(await recentChunks(shard)).toBeGreaterThan(256);
  expect(await settle(shard)).toBe(2);
  expect(await recentChunks(shard)).toBe(0);
  expect(await rows(shard, 'posting_run')).toBe(2);
  expect(await answers(shard)).toEqual(before);

  await evictDurableObject(shard);
  expect(await answers(shard)).toEqual(before);

  // A shard that is evicted after every few documents gives the same answers.
  const other = freshShard();
  for (let i = 0; i < 18; i += 3) {
    await fill(other, i, i + 3);
    await evictDurableObject(other);
  }
  expect(await answers(other)).toEqual(before);
});

test('removed chunks leave nothing behind, and their space is reused', async () => {
  const shard = freshShard();
  await fill(shard, 0, 16);
  await settle(shard);
  await shard.remove(
    Array.from({ length: 15 }, (_, i) => `doc ${String(i).padStart(3, '0')}`),
    1,
  );
  const fresh = freshShard();
  await fill(fresh, 15, 16);
  const expected = await answers(fresh);
  expect(await answers(shard)).toEqual(expected);
  await settle(shard);
  expect(await answers(shard)).toEqual(expected);
  for (const table of ['chunk', 'content', 'vec']) expect(await rows(shard, table)).toBe(CHUNKS);
  for (const table of ['retired', 'dead_version']) expect(await rows(shard, table)).toBe(0);
  for (const table of ['title', 'title_block']) expect(await rows(shard, table)).toBe(1);

  await fill(shard, 20, 22);
  await fill(fresh, 20, 22);
  expect(await answers(shard)).toEqual(await answers(fresh));
  expect(await rows(shard, `chunk WHERE local < ${15 * CHUNKS}`)).toBeGreaterThanOrEqual(2 * CHUNKS);
  await evictDurableObject(shard);
  expect(await answers(shard)).toEqual(await answers(fresh));
});

test('a full shard rejects more chunks and keeps the ones it has', async () => {
  const shard = freshShard();
  await fill(shard, 0, 1);
  const before = await answers(shard);
  await occupy(shard, CHUNKS);
  const of = document('more');
  expect(await shard.stage(of, chunks('more', 1, ['text']))).toMatchObject({ placed: false, full: true });
  expect(await shard.listVersions('more')).toEqual([]);
  expect(await answers(shard)).toEqual(before);
  expect(await shard.stats()).toMatchObject({ chunks: CHUNKS, staged: 0, capacity: 65_536 });
});

test('a full shard frees the space of removed chunks, and answers queries at the same time', async () => {
  const shard = freshShard();
  await fill(shard, 0, 4);
  await occupy(shard, 4 * CHUNKS);
  await shard.remove(['doc 000', 'doc 001'], 1);
  const before = await answers(shard);
  const of = document('doc 009', 1, { title: 'title9' });
  const staging = shard.stage(of, chunks('doc 009', 1, makeTexts(9)));
  const during = await answers(shard);
  expect(await staging).toMatchObject({ placed: true });
  expect(during).toEqual(before);
  expect(await answers(shard)).toEqual(before);
  await shard.publish('doc 009', 1, CHUNKS);

  const fresh = freshShard();
  await fill(fresh, 2, 4);
  await fill(fresh, 9, 10);
  expect(await answers(shard)).toEqual(await answers(fresh));
  await evictDurableObject(shard);
  expect(await answers(shard)).toEqual(await answers(fresh));
});
