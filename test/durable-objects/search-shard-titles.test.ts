import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { Resident } from '#objects/search-shard/postings/resident.ts';
import type { SearchShard } from '#objects/search-shard.ts';
import { chunks, document, freshShard, put, sparse } from './shard.ts';

type Shard = DurableObjectStub<SearchShard>;

const QUERIES = ['common', 'third', 'unique7', 'unique650', 'plain', 'renamed', 'common plain third'];

const makeName = (number: number) => `doc ${String(number).padStart(4, '0')}`;
const makeTitle = (number: number) => `common ${number % 3 === 0 ? 'third' : 'other'} unique${number}.md`;
const makeTexts = (number: number) => (number % 5 === 0 ? ['plain text', 'plain common'] : ['plain text']);

async function fill(shard: Shard, numbers: number[], title = makeTitle): Promise<void> {
  await shard.stageMany(
    numbers.map((number) => {
      const of = document(makeName(number), 1, { title: title(number), keywords: `key${number % 4}` });
      const staged = chunks(of.documentId, 1, makeTexts(number));
      return { document: of, chunks: staged, chunkCount: staged.length };
    }),
  );
}

/** Returns the ids and scores of all chunks found, independent of their local ids. */
async function answers(shard: Shard): Promise<Map<string, number>[]> {
  const all: Map<string, number>[] = [];
  for (const text of QUERIES) {
    const { sparse: hits } = await shard.query({ text, denseTopK: 0, sparseTopK: 4_000 });
    all.push(new Map(hits.map(({ id, score }) => [id, score])));
  }
  return all;
}

function rows(shard: Shard, from: string): Promise<number> {
  return runInDurableObject(shard, (_, state) =>
    Number(state.storage.sql.exec(`SELECT count(*) AS n FROM ${from}`).one().n),
  );
}

/** Counts the rows that a query reads for a term that is not in memory. */
function rowsReadFor(shard: Shard, term: string): Promise<number> {
  return runInDurableObject(shard, (_, { storage: { sql } }) => {
    const cursors: { rowsRead: number }[] = [];
    const counted = new Proxy(sql, {
      get: (target, name) =>
        name === 'exec'
          ? (query: string, ...values: unknown[]) => {
              const cursor = target.exec(query, ...values);
              cursors.push(cursor);
              return cursor;
            }
          : Reflect.get(target, name),
    });
    const resident = new Resident(counted, { reserve: () => {}, available: () => 0 });
    resident.getRecent();
    cursors.length = 0;
    for (const [, { ids }] of resident.readPostings([term])) expect(ids.length).toBeGreaterThan(0);
    return cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
  });
}

async function settle(shard: Shard): Promise<void> {
  while (await runDurableObjectAlarm(shard)) {
    // Runs alarms until none is due.
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('words in titles', () => {
  test('that most documents share take a few rows, even after changes', async () => {
    const shard = freshShard();
    for (const number of [0, 200, 400, 600, 800]) await fill(shard, numbers(number, number + 200));
    expect(await rows(shard, "title_block WHERE term = 'en:common'")).toBeLessThanOrEqual(2);
    expect(await rows(shard, "title_block WHERE term = 'en:unique7'")).toBe(1);
    expect(await rowsReadFor(shard, 'en:common')).toBeLessThan(10);

    const renamed = (number: number) => (number < 300 ? `renamed ${number % 2}` : makeTitle(number));
    for (const number of numbers(0, 300)) {
      await shard.describe({ documentId: makeName(number), title: renamed(number), metadata: {} });
    }
    expect(await sparse(shard, 'unique7')).toEqual([]);
    await shard.remove(numbers(700, 1_000).map(makeName), 1);
    expect(await sparse(shard, 'unique650')).toHaveLength(2);
    expect(await sparse(shard, 'unique701')).toEqual([]);

    const fresh = freshShard();
    await fill(fresh, numbers(0, 700), renamed);
    const expected = await answers(fresh);
    expect(await answers(shard)).toEqual(expected);
    await settle(shard);
    expect(await answers(shard)).toEqual(expected);
    await evictDurableObject(shard);
    expect(await answers(shard)).toEqual(expected);
    expect(await rows(shard, 'title')).toBe(700);
    const terms = '(SELECT DISTINCT term FROM title_block)';
    expect(await rows(shard, terms)).toBe(await rows(fresh, terms));
  });

  test('match chunks that are staged later, by the rules of each chunk’s language', async () => {
    const shard = freshShard();
    const of = document('a', 1, { title: 'running houses' });
    const [first, second] = chunks('a', 1, ['one', 'two']);
    await shard.stage(of, [{ ...first!, language: 'en' }]);
    await shard.stage(of, [{ ...second!, language: 'de' }]);
    await shard.stage(of, [{ ...second!, language: 'de' }]);
    await shard.publish('a', 1, 2);
    expect(await sparse(shard, 'running')).toHaveLength(2);
    const terms = await runInDurableObject(shard, (_, state) =>
      state.storage.sql.exec('SELECT term, length(body) AS n FROM title_block ORDER BY term').toArray(),
    );
    expect(terms).toEqual(['de:hous', 'de:running', 'en:hous', 'en:run'].map((term) => ({ term, n: 3 })));
    await shard.describe({ documentId: 'a', title: 'gardens', metadata: {} });
    expect(await sparse(shard, 'running')).toEqual([]);
    expect(await sparse(shard, 'gardens')).toHaveLength(2);
  });

  test('are found in a shard that stored one row per word', async () => {
    const shard = freshShard();
    await fill(shard, numbers(0, 40));
    await put(shard, document('removed', 1, { title: 'common removed' }), ['text']);
    await shard.remove(['removed'], 1);
    const before = await answers(shard);
    await runInDurableObject(shard, (_, { storage: { sql } }) => {
      sql.exec(`CREATE TABLE title_term (
        term TEXT NOT NULL, version_key INTEGER NOT NULL, frequency INTEGER NOT NULL, PRIMARY KEY (term, version_key)
      ) WITHOUT ROWID`);
      const blocks = sql
        .exec<{ term: string; body: ArrayBuffer }>('SELECT term, body FROM title_block')
        .toArray();
      for (const { term, body } of blocks) {
        const count = body.byteLength / 3;
        for (let i = 0; i < count; i++) {
          sql.exec(
            'INSERT OR IGNORE INTO title_term SELECT ?, version_key, ? FROM chunk WHERE local = ?',
            term,
            new Uint8Array(body)[2 * count + i]!,
            new Uint16Array(body, 0, count)[i]!,
          );
        }
      }
      sql.exec('DROP TABLE title_block');
      sql.exec('DROP TABLE title');
      sql.exec('DELETE FROM upgrade WHERE number = (SELECT max(number) FROM upgrade)');
    });
    await evictDurableObject(shard);
    expect(await answers(shard)).toEqual(before);
    expect(await rows(shard, "sqlite_master WHERE name = 'title_term'")).toBe(0);
    await settle(shard);
    expect(await rows(shard, 'title')).toBe(40);
    expect(await rows(shard, "title_block WHERE term = 'en:remov'")).toBe(0);
    expect(await answers(shard)).toEqual(before);
  });
});
