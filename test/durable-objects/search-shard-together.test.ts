import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { SearchShard } from '#objects/search-shard.ts';
import type { StagedPart } from '#src/ports/shard.ts';
import { chunks, document, failure, freshShard, occupy, put, sparse } from './shard.ts';

type Shard = DurableObjectStub<SearchShard>;

function whole(documentId: string, version: number, texts: string[], metadata = {}): StagedPart {
  const staged = chunks(documentId, version, texts);
  return {
    document: document(documentId, version, { metadata }),
    chunks: staged,
    chunkCount: staged.length,
  };
}

const TABLES = ['chunk', 'content', 'vec', 'version', 'filter_value', 'title', 'dead_version'];

/** Returns the number of rows in each table of the shard. */
function countRows(shard: Shard): Promise<Record<string, unknown>> {
  return runInDurableObject(shard, (_, { storage: { sql } }) =>
    Object.fromEntries(
      TABLES.map((table) => [table, sql.exec(`SELECT count(*) AS n FROM ${table}`).one().n]),
    ),
  );
}

const PLACED = { placed: true, full: false, current: true };

describe('whole documents that are staged in one call', () => {
  it('are stored like documents that are staged one by one', async () => {
    const parts = Array.from({ length: 130 }, (_, n) =>
      whole(`doc ${n}`, 1, [`lamp number${n} \0 \ud800`, `oil of number${n}`], {
        n,
        even: n % 2 === 0,
        tags: ['a', `${n}`],
      }),
    );
    const [together, alone] = [freshShard(), freshShard()];
    expect(await together.stageMany(parts)).toEqual(parts.map(() => PLACED));
    for (const part of parts) expect(await alone.stageMany([part])).toEqual([PLACED]);
    expect(await countRows(together)).toEqual(await countRows(alone));
    for (const shard of [together, alone]) {
      expect(await sparse(shard, 'lamp', 500)).toHaveLength(130);
      expect(await sparse(shard, 'number77')).toHaveLength(2);
      const filters = {
        condition: 'and' as const,
        filters: [{ key: 'n', operator: '==' as const, value: 77 }],
      };
      expect(await shard.documentsMatching(filters, 10)).toEqual(['doc 77']);
    }
    expect(await together.listChunks('doc 77')).toEqual(await alone.listChunks('doc 77'));
  });

  it('replace older versions, and change nothing if a newer version or a removal came first', async () => {
    const shard = freshShard();
    await put(shard, document('replaced', 1), ['old words', 'older words']);
    await put(shard, document('newer', 5), ['newest words']);
    await shard.remove(['removed'], 9);
    const staged = await shard.stageMany([
      whole('replaced', 2, ['new words']),
      whole('newer', 2, ['late words']),
      whole('removed', 2, ['forgotten words']),
      whole('added', 2, ['added words']),
    ]);
    expect(staged.map(({ current }) => current)).toEqual([true, false, false, true]);
    expect((await sparse(shard, 'words')).length).toBe(3);
    expect((await shard.listChunks('replaced')).map(({ text }) => text)).toEqual(['new words']);
    expect((await shard.listChunks('newer')).map(({ text }) => text)).toEqual(['newest words']);
    expect(await shard.listChunks('removed')).toEqual([]);
  });

  it('keep the order of two versions of one document', async () => {
    const shard = freshShard();
    await shard.stageMany([
      whole('twice', 1, ['first words']),
      whole('once', 1, ['other words']),
      whole('twice', 2, ['second words']),
    ]);
    expect((await shard.listChunks('twice')).map(({ text }) => text)).toEqual(['second words']);
    expect((await sparse(shard, 'words')).length).toBe(2);
  });

  it('are not written at all if one of them has an unusable vector', async () => {
    const shard = freshShard();
    const broken = whole('broken', 1, ['broken words']);
    broken.chunks[0]!.vector.fill(Number.NaN);
    const parts = [whole('first', 1, ['first words']), broken, whole('last', 1, ['last words'])];
    expect(await failure(shard.stageMany(parts))).toMatchObject({
      message: 'A vector contains values that are not finite numbers.',
    });
    expect(await sparse(shard, 'words')).toEqual([]);
    expect(await shard.stageMany([parts[0]!, parts[2]!])).toEqual([PLACED, PLACED]);
    expect((await sparse(shard, 'words')).length).toBe(2);
  });

  it('are placed as far as the shard has room', async () => {
    const shard = freshShard();
    await put(shard, document('first', 1), ['first words']);
    await occupy(shard, 3);
    const parts = Array.from({ length: 4 }, (_, n) => whole(`doc ${n}`, 1, [`words ${n}`]));
    const staged = await shard.stageMany(parts);
    expect(staged.map(({ placed }) => placed)).toEqual([true, true, false, false]);
  });
});
