import { describe, expect, test } from 'vitest';
import { MAX_CHUNK_BYTES } from '#src/ingest/chunking/index.ts';
import { B, K1 } from '#src/search/term-weights.ts';
import { chunks, document, failure, freshShard, put, sparse, toDirection } from './shard.ts';

describe('versions', () => {
  test('staged chunks are invisible until their version is published', async () => {
    const shard = freshShard();
    await shard.stage(document('a'), chunks('a', 1, ['walrus']));
    expect(await sparse(shard, 'walrus')).toEqual([]);
    expect(await shard.listChunks('a')).toEqual([]);
    expect(await shard.stats()).toMatchObject({ documents: 0, chunks: 0, staged: 1 });
    await shard.publish('a', 1, 1);
    expect(await sparse(shard, 'walrus')).toEqual(['a/1/0']);
    expect(await shard.stats()).toMatchObject({ documents: 1, chunks: 1, staged: 0, dimension: 8 });
  });

  test('a new version replaces the old one in one step', async () => {
    const shard = freshShard();
    await put(shard, document('a'), ['walrus old', 'walrus older']);
    await shard.stage(document('a', 2), chunks('a', 2, ['walrus new']));
    expect(await sparse(shard, 'walrus')).toHaveLength(2);
    await shard.publish('a', 2, 1);
    expect(await sparse(shard, 'walrus')).toEqual(['a/2/0']);
    expect(await shard.statistics('walrus old')).toMatchObject({ documentCount: 1 });
  });

  test('an older version is ignored, and repeated calls have no further effect', async () => {
    const shard = freshShard();
    await put(shard, document('a', 2), ['second']);
    await put(shard, document('a', 2), ['second']);
    await shard.stage(document('a', 1), chunks('a', 1, ['first']));
    await shard.publish('a', 1, 1);
    expect(await sparse(shard, 'first second')).toEqual(['a/2/0']);
    expect(await shard.stats()).toMatchObject({ documents: 1, chunks: 1, staged: 0 });
  });

  test('a version can be staged in several calls', async () => {
    const shard = freshShard();
    const all = chunks('a', 1, ['one', 'two', 'three']);
    await shard.stage(document('a'), all.slice(0, 2));
    expect(await failure(shard.publish('a', 1, 3))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('2 of 3'),
    });
    await shard.stage(document('a'), all.slice(1));
    await shard.publish('a', 1, 3);
    expect((await shard.listChunks('a')).map((chunk) => chunk.text)).toEqual(['one', 'two', 'three']);
    expect(await shard.listChunks('a', { from: 1, limit: 1 })).toMatchObject([
      { text: 'two', previousId: 'a/1/0', nextId: 'a/1/2' },
    ]);
  });

  test('the last staging call can publish the version, completely or not at all', async () => {
    const shard = freshShard();
    const all = chunks('a', 1, ['one', 'two', 'three']);
    expect(await failure(shard.stage(document('a'), all.slice(0, 2), 3))).toMatchObject({ code: 'conflict' });
    expect(await shard.stats()).toMatchObject({ documents: 0, staged: 0 });
    await shard.stage(document('a'), all.slice(0, 1));
    expect(await shard.stage(document('a'), all.slice(1), 3)).toEqual({
      placed: true,
      full: false,
      current: true,
    });
    await shard.stage(document('a'), all.slice(1), 3);
    expect(await sparse(shard, 'one two three')).toHaveLength(3);
    await shard.stage(document('a', 2), chunks('a', 2, ['four']), 1);
    expect(await sparse(shard, 'one four')).toEqual(['a/2/0']);
    await shard.remove(['a'], 3);
    const late = await shard.stage(document('a', 3), chunks('a', 3, ['five']), 1);
    expect(late).toMatchObject({ placed: true, current: false });
    expect(await shard.stats()).toMatchObject({ documents: 0, chunks: 0, staged: 0 });
  });

  test('a second chunk at the same position is rejected', async () => {
    const shard = freshShard();
    const [first] = chunks('a', 1, ['one']);
    await shard.stage(document('a'), [first!]);
    const second = shard.stage(document('a'), [{ ...first!, id: 'other' }]);
    expect(await failure(second)).toMatchObject({ code: 'conflict' });
    expect(await shard.stats()).toMatchObject({ staged: 1 });
  });

  test('removal deletes published and staged chunks together', async () => {
    const shard = freshShard();
    await put(shard, document('a'), ['walrus']);
    await put(shard, document('b'), ['walrus']);
    await shard.stage(document('a', 2), chunks('a', 2, ['walrus']));
    await shard.remove(['a', 'unknown'], 2);
    expect(await sparse(shard, 'walrus')).toEqual(['b/1/0']);
    expect(await shard.stats()).toMatchObject({ documents: 1, chunks: 1, staged: 0 });
  });

  test('a late write does not restore a removed document, but a newer version does', async () => {
    const shard = freshShard();
    await put(shard, document('a'), ['walrus']);
    await shard.remove(['a', 'b'], 2);
    await put(shard, document('a', 2), ['walrus']);
    await put(shard, document('b', 1), ['walrus']);
    expect(await sparse(shard, 'walrus')).toEqual([]);
    await put(shard, document('a', 3), ['walrus']);
    await shard.remove(['a'], 2);
    expect(await sparse(shard, 'walrus')).toEqual(['a/3/0']);
    expect(await shard.stats()).toMatchObject({ documents: 1, staged: 0 });
  });

  test('a document without chunks can be published', async () => {
    const shard = freshShard();
    await put(shard, document('a'), ['walrus']);
    await shard.stage(document('a', 2), []);
    await shard.publish('a', 2, 0);
    expect(await sparse(shard, 'walrus')).toEqual([]);
  });

  test('a version in other shards replaces the local version only if it has no local chunks', async () => {
    const shard = freshShard();
    await put(shard, document('a'), ['walrus']);
    for (const whole of [undefined, 1]) {
      expect(await failure(shard.publish('a', 2, 0, whole))).toMatchObject({ code: 'conflict' });
    }
    expect(await sparse(shard, 'walrus')).toEqual(['a/1/0']);
    expect(await shard.publish('a', 2, 0, 0)).toBe(true);
    expect(await sparse(shard, 'walrus')).toEqual([]);
  });
});

describe('documents', () => {
  test('describe changes the title and metadata without changing chunks', async () => {
    const shard = freshShard();
    await put(shard, document('a', 1, { title: 'plain', metadata: { year: 1999 } }), ['text']);
    await shard.describe({ documentId: 'a', title: 'walrus', metadata: { year: 2001 } });
    expect(await sparse(shard, 'walrus')).toEqual(['a/1/0']);
    expect(await sparse(shard, 'plain')).toEqual([]);
    const [chunk] = await shard.listChunks('a');
    expect(chunk).toMatchObject({
      title: 'walrus',
      metadata: { year: 2001 },
      text: 'text',
      hash: 'hash of text',
    });
    expect(chunk?.vector).toEqual(toDirection('text'));
  });
});

test('chunks are returned with the language they were indexed in', async () => {
  const shard = freshShard();
  const [first, second, third] = chunks('a', 1, ['die Häuser', '房子', 'plain text']);
  const undeclared = { ...third! };
  delete undeclared.language;
  const staged = [{ ...first!, language: 'de-AT' }, { ...second!, language: 'zh' }, undeclared];
  await shard.stage(document('a'), staged, 3);
  expect((await shard.listChunks('a')).map((chunk) => chunk.language)).toEqual(['de', 'und', 'en']);
  const { chunks: found } = await shard.query({ text: 'Haus', denseTopK: 0, sparseTopK: 1 });
  expect(found).toMatchObject([{ text: 'die Häuser', language: 'de' }]);
});

describe('vectors', () => {
  test('the nearest vectors come first, with their cosine similarity, and ties are ordered by id', async () => {
    const shard = freshShard();
    await put(shard, document('b'), ['north', 'south']);
    await put(shard, document('a'), ['north']);
    const { dense } = await shard.query({ vector: toDirection('north'), denseTopK: 2, sparseTopK: 0 });
    expect(dense.map((hit) => hit.id)).toEqual(['a/1/0', 'b/1/0']);
    expect(dense[0]!.score).toBeCloseTo(1, 6);
  });

  test('the first vector fixes the dimension', async () => {
    const shard = freshShard();
    await put(shard, document('a'), ['text']);
    const staged = shard.stage(document('b'), chunks('b', 1, ['text'], 16));
    expect(await failure(staged)).toMatchObject({ code: 'conflict', retryable: false });
    const asked = shard.query({ vector: toDirection('text', 16), denseTopK: 1, sparseTopK: 0 });
    expect(await failure(asked)).toMatchObject({
      message: 'The index holds vectors with 8 dimensions, but this vector has 16.',
    });
    expect(await shard.stats()).toMatchObject({ dimension: 8, staged: 0 });
  });

  test('an index without vectors rejects vectors', async () => {
    const shard = freshShard();
    const [first, second] = chunks('a', 1, ['text', 'more']);
    await shard.stage(document('a'), [{ ...first!, vector: new Float32Array(0) }]);
    const mixed = shard.stage(document('a'), [second!]);
    expect(await failure(mixed)).toMatchObject({ code: 'conflict', retryable: false });
    await shard.publish('a', 1, 1);
    expect(await sparse(shard, 'text')).toEqual(['a/1/0']);
    expect(await shard.stats()).toMatchObject({ dimension: 0, capacity: 65_536 });
  });

  test('invalid or too long vectors are rejected', async () => {
    const shard = freshShard();
    const [chunk] = chunks('a', 1, ['text']);
    for (const vector of [Float32Array.of(1, Number.NaN), new Float32Array(3_073)]) {
      const staged = shard.stage(document('a'), [{ ...chunk!, vector }]);
      expect(await failure(staged)).toMatchObject({ code: 'bad_request' });
    }
    expect(await shard.stats()).toMatchObject({ dimension: null, staged: 0 });
    await shard.stage(document('a'), [{ ...chunk!, vector: new Float32Array(3_072).fill(1) }]);
    await shard.publish('a', 1, 1);
    const { dense } = await shard.query({
      vector: new Float32Array(3_072).fill(2),
      denseTopK: 1,
      sparseTopK: 0,
    });
    expect(dense[0]!.score).toBeCloseTo(1, 6);
    expect(await shard.stats()).toMatchObject({ dimension: 3_072, capacity: 16_384 });
  });
});

test('scores depend on the total text length of the index, which can change outside the shard', async () => {
  const shard = freshShard();
  await put(shard, document('a', 1, { title: '' }), ['walrus sleeps', 'walrus']);
  const own = await shard.statistics('walrus');
  const scoresWith = async (totalLength: number) => {
    const statistics = { ...own, documentCount: 10, totalLength };
    const { sparse } = await shard.query({ text: 'walrus', denseTopK: 0, sparseTopK: 2, statistics });
    return sparse.map(({ score }) => score);
  };
  const idf = Math.log(1 + (10 - 2 + 0.5) / (2 + 0.5));
  const expected = (mean: number) => [1, 2].map((length) => idf / (1 + K1 * (1 - B + (B * length) / mean)));
  for (const totalLength of [10, 400, 10]) {
    const found = await scoresWith(totalLength);
    for (const [i, score] of expected(totalLength / 10).entries()) expect(found[i]).toBeCloseTo(score, 5);
  }
});

test('drop empties the shard, which then accepts another dimension', async () => {
  const shard = freshShard();
  await put(shard, document('a'), ['walrus']);
  await shard.drop();
  expect(await sparse(shard, 'walrus')).toEqual([]);
  expect(await shard.stats()).toMatchObject({ documents: 0, chunks: 0, dimension: null });
  await shard.stage(document('a'), chunks('a', 1, ['walrus'], 16));
  await shard.publish('a', 1, 1);
  expect(await sparse(shard, 'walrus')).toEqual(['a/1/0']);
});

test('the largest chunks are found, up to the size limit of one answer', async () => {
  const shard = freshShard();
  const texts = Array.from({ length: 32 }, (_, i) => `walrus ${i} ${'x'.repeat(MAX_CHUNK_BYTES - 10)}`);
  const all = chunks('a', 1, texts);
  for (let from = 0; from < all.length; from += 8)
    await shard.stage(document('a'), all.slice(from, from + 8));
  await shard.publish('a', 1, all.length);
  expect(await sparse(shard, 'walrus')).toHaveLength(10);
  expect(await failure(sparse(shard, 'walrus', 32))).toMatchObject({
    message: expect.stringContaining('too large for one answer'),
  });
});

test('every term of a chunk of the largest size is found', async () => {
  const shard = freshShard();
  const words = Array.from({ length: 120_000 }, (_, i) => `w${(i * 7919).toString(36)}`);
  await put(shard, document('a'), [words.join(' ').slice(0, MAX_CHUNK_BYTES)]);
  for (const i of [0, 60_000, 100_000]) expect(await sparse(shard, words[i]!)).toEqual(['a/1/0']);
});
