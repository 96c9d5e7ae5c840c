import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import type { SearchShard } from '#objects/search-shard.ts';
import { cosine } from '#src/search/vectors.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { VectorizeInMemory } from '#test/support/vectorize.ts';
import { document, failure, freshShard, put, toDirection } from './shard.ts';
import { bind, ring, useVectorize } from './vectorize-shard.ts';

type Shard = DurableObjectStub<SearchShard>;

const vectorize = useVectorize();

const texts = (count: number, of: string) => Array.from({ length: count }, (_, i) => `${of} ${i}`);

async function dense(shard: Shard, text: string, k = 10) {
  return (await shard.query({ vector: toDirection(text), denseTopK: k, sparseTopK: 0 })).dense;
}

async function ids(shard: Shard, text: string, k = 10): Promise<string[]> {
  return (await dense(shard, text, k)).map(({ id }) => id);
}

/** Creates a shard whose chunks are all visible in Vectorize. */
async function copied(...documents: [string, string[]][]): Promise<Shard> {
  const shard = freshShard();
  for (const [id, of] of documents) await put(shard, document(id), of);
  await ring(shard, 1);
  vectorize.current.show();
  await ring(shard, 1);
  return shard;
}

/** Counts the rows about points that Vectorize holds or will hold. */
function owed(shard: Shard): Promise<number> {
  return runInDurableObject(shard, (_, { storage }) =>
    Number(storage.sql.exec('SELECT (SELECT count(*) FROM push) + count(*) AS n FROM mirrored').one().n),
  );
}

test('a copied shard queries Vectorize, and computes exact scores itself', async () => {
  const shard = await copied(['a', texts(120, 'word')]);
  const found = await dense(shard, 'word 7', 20);
  expect(vectorize.current.calls.query).toBe(1);
  const exact = texts(120, 'word')
    .map((text, i) => ({ id: `a/1/${i}`, score: cosine(toDirection('word 7'), toDirection(text)) }))
    .sort((a, b) => b.score - a.score);
  expect(found.map(({ id }) => id)).toEqual(exact.slice(0, 20).map(({ id }) => id));
  for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(exact[i]!.score, 6);
});

test('new chunks are found immediately, before Vectorize returns them', async () => {
  const shard = await copied(['a', texts(5, 'old')]);
  await put(shard, document('b'), ['new']);
  expect((await ids(shard, 'new'))[0]).toBe('b/1/0');
  await ring(shard, 1);
  expect(vectorize.current.calls.upsert).toBe(2);
  expect((await ids(shard, 'new'))[0]).toBe('b/1/0');
  expect(vectorize.current.calls.query).toBe(2);
});

test('chunks added during a Vectorize query are found, and removed ones are not', async () => {
  const shard = await copied(['a', texts(30, 'old')], ['b', ['gone']]);
  const { query } = vectorize.current;
  // Both sides poll the state, because the runtime does not let one object resume another.
  let state: 'not asked' | 'asked' | 'changed' = 'not asked';
  const until = async (wanted: typeof state) => {
    for (let waited = 0; state !== wanted; waited += 1) {
      if (waited >= PATIENCE_MS) throw new Error(`the state stayed "${state}"`);
      await scheduler.wait(1);
    }
  };
  vectorize.current.query = async (...given) => {
    const matches = await query.apply(vectorize.current, given);
    state = 'asked';
    await until('changed');
    return matches;
  };
  const finding = ids(shard, 'gone');
  await until('asked');
  await put(shard, document('c'), ['gone']);
  await shard.remove(['b'], 1);
  await ring(shard, 1);
  vectorize.current.show();
  await ring(shard, 1);
  state = 'changed';
  const found = await finding;
  expect(found[0]).toBe('c/1/0');
  expect(found).not.toContain('b/1/0');
});

test('a later mutation that becomes visible first does not confirm an earlier one', async () => {
  const shard = freshShard();
  await put(shard, document('a'), texts(5, 'first'));
  await ring(shard, 1);
  await put(shard, document('b'), texts(5, 'second'));
  await ring(shard, 1);
  const [, second] = vectorize.current.mutations;
  vectorize.current.show([second!]);
  await ring(shard, 1);
  expect((await ids(shard, 'first 3'))[0]).toBe('a/1/3');
  expect(vectorize.current.calls.query).toBe(1);
});

test('a push is confirmed only when its own points are visible', async () => {
  const shard = freshShard();
  await put(shard, document('a'), texts(5, 'word'));
  await ring(shard, 1);
  const other = await copied(['a', texts(5, 'other')]);
  vectorize.current.mutations[0]!.isShown = false;
  await ring(shard, 1);
  expect(await ids(shard, 'word 1')).toHaveLength(5);
  expect(vectorize.current.calls.query).toBeUndefined();
  expect(await ids(other, 'other 1')).toHaveLength(5);
  expect(vectorize.current.calls.query).toBe(1);
});

test('removed and replaced chunks are not found while Vectorize still has them, and are deleted there', async () => {
  const shard = await copied(['a', texts(150, 'word')], ['b', ['kept', 'too']], ['c', ['replaced']]);
  await shard.remove(['a'], 1);
  await put(shard, document('c', 2), ['replacing', 'more']);
  expect((await ids(shard, 'word 3')).sort()).toEqual(['b/1/0', 'b/1/1', 'c/2/0', 'c/2/1']);
  expect(vectorize.current.ids).toHaveLength(153);
  await ring(shard, 2);
  vectorize.current.show();
  expect(vectorize.current.ids).toHaveLength(4);
  expect(vectorize.current.calls.deleteByIds).toBe(2);
});

test('no answer mixes two versions of a document', async () => {
  const shard = await copied(['a', texts(3, 'one')], ['b', texts(3, 'other')]);
  for (let version = 2; version <= 6; version++) {
    await put(shard, document('a', version), texts(3, 'one'));
    const versions = (await ids(shard, 'one 1')).filter((id) => id.startsWith('a/'));
    expect(versions.sort()).toEqual([0, 1, 2].map((i) => `a/${version}/${i}`));
    if (version % 2 === 0) await ring(shard, 1);
    if (version % 3 === 0) vectorize.current.show();
  }
});

test('the shard answers alone if deleted points fill the whole Vectorize answer', async () => {
  const shard = await copied(['a', Array.from({ length: 120 }, () => 'same')], ['b', texts(5, 'else')]);
  await shard.remove(['a'], 1);
  expect(await ids(shard, 'same')).toHaveLength(5);
  expect(vectorize.current.calls.query).toBe(1);
});

test('points that Vectorize lost are found in the shard', async () => {
  const shard = await copied(['a', texts(5, 'word')]);
  await vectorize.current.deleteByIds(vectorize.current.ids.slice(1));
  vectorize.current.show();
  expect(await ids(shard, 'word 4')).toHaveLength(5);
});

test('a lost document is detected even if Vectorize returns enough other points', async () => {
  const shard = await copied(['a', texts(60, 'word')], ['b', texts(60, 'lost')]);
  const [, second] = [...new Set(vectorize.current.ids.map((id) => id.split('.')[1]))];
  await vectorize.current.deleteByIds(vectorize.current.ids.filter((id) => id.split('.')[1] === second));
  vectorize.current.show();
  expect(vectorize.current.ids).toHaveLength(60);
  expect((await ids(shard, 'lost 7'))[0]).toBe('b/1/7');
  expect(vectorize.current.calls.query).toBe(1);
});

test('a push that failed is resent completely, also after an eviction', async () => {
  const shard = freshShard();
  await put(shard, document('a'), texts(1_500, 'word'));
  const { upsert } = vectorize.current;
  let calls = 0;
  vectorize.current.upsert = async (vectors) => {
    const answer = await upsert.call(vectorize.current, vectors);
    // The vectors are stored, but the answer is lost.
    if (++calls < 3) throw new Error('connection lost');
    return answer;
  };
  await ring(shard, 1);
  await evictDurableObject(shard);
  await ring(shard, 2);
  vectorize.current.show();
  await ring(shard, 1);
  expect(new Set(vectorize.current.ids).size).toBe(1_500);
  await ids(shard, 'word 1');
  expect(vectorize.current.calls.query).toBe(1);
  await shard.remove(['a'], 1);
  await ring(shard, 2);
  vectorize.current.show();
  expect(vectorize.current.ids).toEqual([]);
  expect(await owed(shard)).toBe(0);
});

test('points of a push without an answer are deleted when their document is removed', async () => {
  const shard = freshShard();
  await put(shard, document('a'), texts(5, 'word'));
  const { upsert } = vectorize.current;
  vectorize.current.upsert = async (vectors) => {
    await upsert.call(vectorize.current, vectors);
    throw new Error('connection lost');
  };
  await ring(shard, 1);
  await shard.remove(['a'], 1);
  await ring(shard, 1);
  vectorize.current.show();
  expect(vectorize.current.ids).toEqual([]);
});

test('filters, many results, a zero vector and a shard of one chunk are handled without Vectorize', async () => {
  const shard = await copied(['a', texts(60, 'word')]);
  const filters = { condition: 'and' as const, filters: [{ key: 'k', operator: '!=' as const, value: 'v' }] };
  const rest = { sparseTopK: 0, denseTopK: 10 };
  expect((await shard.query({ ...rest, vector: toDirection('x'), filters })).dense).toHaveLength(10);
  expect((await shard.query({ ...rest, vector: new Float32Array(8) })).dense).toHaveLength(10);
  expect(await ids(shard, 'word 1', 51)).toHaveLength(51);
  const small = await copied(['a', ['word']]);
  expect(await ids(small, 'word')).toHaveLength(1);
  expect(vectorize.current.calls).toMatchObject({ upsert: 1 });
  expect(vectorize.current.calls.query).toBeUndefined();
});

test('a query with another dimension is rejected as without Vectorize', async () => {
  const shard = await copied(['a', texts(3, 'word')]);
  const query = shard.query({ vector: new Float32Array(4).fill(1), denseTopK: 1, sparseTopK: 0 });
  expect(await failure(query)).toMatchObject({
    message: expect.stringContaining('8 dimensions, but this vector has 4'),
  });
});

test('the shard answers if Vectorize fails or returns an invalid answer', async () => {
  const shard = await copied(['a', texts(5, 'word')]);
  vectorize.current.failure = 'unavailable';
  expect((await ids(shard, 'word 2'))[0]).toBe('a/1/2');
  await ids(shard, 'word 2');
  // The shard does not query Vectorize again for a while after a failure.
  expect(vectorize.current.calls.query).toBe(1);
  await evictDurableObject(shard);
  vectorize.current.query = async () => ({ matches: [{ id: 'x.y.z' }, { id: '..' }], count: -1 }) as never;
  vectorize.current.failure = undefined;
  expect((await ids(shard, 'word 2'))[0]).toBe('a/1/2');
});

/** A deployment with other bindings ends every instance. */
async function deploy(shard: Shard, bound: VectorizeInMemory | undefined): Promise<void> {
  bind(bound);
  await evictDurableObject(shard);
}

test('a binding added later copies the existing chunks, and a removed binding causes no error', async () => {
  bind(undefined);
  const shard = freshShard();
  await put(shard, document('a'), texts(5, 'word'));
  await ring(shard);
  await deploy(shard, vectorize.current);
  await ids(shard, 'word 1');
  await ring(shard, 1);
  vectorize.current.show();
  await ring(shard, 1);
  expect(vectorize.current.ids).toHaveLength(5);
  await deploy(shard, undefined);
  await put(shard, document('b'), ['added']);
  await shard.remove(['a'], 1);
  expect(await ids(shard, 'added')).toEqual(['b/1/0']);
  await deploy(shard, vectorize.current);
  await put(shard, document('c'), ['back']);
  await ring(shard, 2);
  vectorize.current.show();
  await ring(shard, 1);
  expect((await ids(shard, 'added')).sort()).toEqual(['b/1/0', 'c/1/0']);
  expect(vectorize.current.ids).toHaveLength(2);
});

test('a shard without a binding has no Vectorize table, alarm or timing', async () => {
  bind(undefined);
  const shard = freshShard();
  await put(shard, document('a'), texts(5, 'word'));
  const { timings } = await shard.query({ vector: toDirection('word 1'), denseTopK: 3, sparseTopK: 0 });
  expect(Object.keys(timings)).not.toContain('vectorize');
  const { tables, alarm } = await runInDurableObject(shard, async (_, { storage }) => ({
    tables: storage.sql.exec('SELECT name FROM sqlite_master').toArray(),
    alarm: await storage.getAlarm(),
  }));
  expect(alarm).toBeNull();
  expect(tables.map(({ name }) => name)).not.toContain('mirrored');
});

test('a different Vectorize index under the same name is detected by the first query and filled', async () => {
  const shard = await copied(['a', texts(120, 'word')]);
  const other = new VectorizeInMemory(8);
  await deploy(shard, other);
  // Adds enough points that a query finds as many as it needs.
  await put(shard, document('b'), texts(60, 'new'));
  await ring(shard, 1);
  other.show();
  await ring(shard, 1);
  expect((await ids(shard, 'word 7'))[0]).toBe('a/1/7');
  expect(other.calls.query).toBe(1);
  await ring(shard, 2);
  other.show();
  await ring(shard, 1);
  await evictDurableObject(shard);
  expect((await ids(shard, 'word 7'))[0]).toBe('a/1/7');
  expect(other.calls.query).toBe(2);
  const names = other.mutations.flatMap(({ upserted }) => upserted.map(({ namespace }) => namespace));
  expect(new Set(names).size).toBe(2);
});

test('a push that never becomes visible is resent', async () => {
  const shard = freshShard();
  await put(shard, document('a'), texts(5, 'word'));
  await ring(shard, 1);
  vectorize.current.mutations.length = 0;
  await ring(shard, 1);
  expect(vectorize.current.mutations).toHaveLength(0);
  await runInDurableObject(shard, (_, { storage }) => {
    storage.sql.exec('UPDATE push SET sent_at = sent_at - 3700000');
  });
  await ring(shard, 1);
  vectorize.current.show();
  await ring(shard, 1);
  await ids(shard, 'word 1');
  expect(vectorize.current.calls.query).toBe(1);
});

test('a document with a zero vector is compared in the shard, and the others in Vectorize', async () => {
  const shard = freshShard();
  const vector = toDirection('away');
  await put(shard, document('a'), texts(30, 'word'), { vector });
  await put(shard, document('z'), ['nothing'], { vector: new Float32Array(8) });
  await put(shard, document('y'), ['word'], { vector });
  await ring(shard, 1);
  vectorize.current.show();
  await ring(shard, 2);
  expect(vectorize.current.ids).toHaveLength(31);
  const opposite = vector.map((x) => -x);
  for (const times of [1, 2]) {
    const found = await shard.query({ vector: opposite, denseTopK: 5, sparseTopK: 0 });
    expect(found.dense.map(({ score }) => Math.round(score))).toEqual([0, -1, -1, -1, -1]);
    expect(vectorize.current.calls.query).toBe(times);
  }
});

test('points of other shards take no place in an answer', async () => {
  const shard = await copied(['a', texts(60, 'word')]);
  await copied(['a', Array.from({ length: 120 }, () => 'word 7')]);
  expect((await ids(shard, 'word 7'))[0]).toBe('a/1/7');
  // If too few points had been found, the shard would have used its own codes and not queried Vectorize
  // again.
  await ids(shard, 'word 7');
  expect(vectorize.current.calls.query).toBe(2);
});

test('drop deletes the points in Vectorize, can be retried after a failure, and leaves points of other shards', async () => {
  const other = await copied(['a', texts(3, 'other')]);
  const shard = await copied(['a', texts(250, 'word')]);
  vectorize.current.failure = 'unavailable';
  expect(await failure(shard.drop())).toMatchObject({ message: expect.stringContaining('Vectorize') });
  vectorize.current.failure = undefined;
  expect((await ids(shard, 'word 3'))[0]).toBe('a/1/3');
  await shard.drop();
  vectorize.current.show();
  expect(vectorize.current.ids).toHaveLength(3);
  expect(await ids(shard, 'word 3')).toEqual([]);
  expect(await ids(other, 'other 1')).toHaveLength(3);
  // New points have another name. Remaining points of the old name could not be deleted.
  const before = new Set(vectorize.current.mutations.flatMap((each) => each.upserted.map(({ id }) => id)));
  await put(shard, document('a'), texts(3, 'anew'));
  await ring(shard, 1);
  for (const { id } of vectorize.current.mutations.at(-1)!.upserted) expect(before).not.toContain(id);
});
