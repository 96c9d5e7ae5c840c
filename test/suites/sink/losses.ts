import { describe, expect, test } from 'vitest';
import type { EmbedStored, Sink } from '#src/ports/sink.ts';
import { LOSSES, type Loss } from '#test/vendors/losses.ts';
import { document, toDirection } from './content.ts';
import { idsNear, nearest, put, type SinkFixture } from './fixture.ts';

const ALL = ['a/2/0', 'a/2/1', 'a/2/2', 'b/1/0', 'b/1/1'];
/** Number of missing points out of five after each loss. */
const MISSING: Record<Loss, { least: number; most: number }> = {
  dropped: { least: 5, most: 5 },
  truncated: { least: 5, most: 5 },
  halved: { least: 1, most: 4 },
  // The newest version of one document was written after the backup and replaced a version of the same size.
  older: { least: 3, most: 3 },
};

/** Tests that lost data in an external store is detected and restored. */
export function lossRules({ losing }: SinkFixture) {
  if (!losing) return;

  async function holding(): Promise<{ open: () => Sink; lose(loss: Loss): Promise<void> }> {
    const { open, lose } = losing!();
    await put(open(), document('a'), ['first', 'second', 'third']);
    await put(open(), document('b'), ['walrus', 'seal']);
    await lose('remember');
    await put(open(), document('a', 2), ['one', 'two', 'three']);
    return { open, lose };
  }

  describe.each(LOSSES)('store with lost data: %s', (loss) => {
    test('is found to lack points, which are restored from the stored chunks', async () => {
      const { open, lose } = await holding();
      expect(await open().compare()).toEqual({ expected: 5, missing: 0 });
      await lose(loss);
      const { expected, missing } = await open().compare();
      expect([expected, missing >= MISSING[loss].least, missing <= MISSING[loss].most]).toEqual([
        5,
        true,
        true,
      ]);
      const embedded: string[] = [];
      const embed: EmbedStored = async (chunks) => {
        embedded.push(...chunks.map(({ id }) => id));
        return chunks.map(({ text }) => toDirection(text));
      };
      expect(await open().restore(['a', 'b', 'unknown'], embed)).toBe(missing);
      // Chunks that the store still has are not embedded again.
      expect(embedded).toHaveLength(missing);
      expect(await open().compare()).toEqual({ expected: 5, missing: 0 });
      expect(await idsNear(open())).toEqual(ALL);
      const { dense } = await nearest(open(), 'two');
      expect(dense[0]).toMatchObject({ id: 'a/2/1', score: expect.closeTo(1, 3) });
      expect(await open().restore(['a', 'b'], embed)).toBe(0);
    });

    test('cannot be restored with vectors of another dimension', async () => {
      const { open, lose } = await holding();
      await lose(loss);
      if (loss === 'dropped') await put(open(), document('c'), ['makes the place again']);
      const restored = open().restore(['a', 'b'], async (chunks) =>
        chunks.map(({ text }) => toDirection(text, 16)),
      );
      await expect(restored).rejects.toMatchObject({
        retryable: false,
        message: expect.stringMatching(/\b8\b.*\b16\b|\b16\b.*\b8\b/s),
      });
    });
  });

  test.each(['dropped', 'truncated'] as const)(
    'query of a store that lost everything uses keywords only or fails: %s',
    async (loss) => {
      const { open, lose } = await holding();
      await lose(loss);
      const arms = { vector: toDirection('walrus'), denseTopK: 5, sparseTopK: 5 };
      await expect(open().query(arms)).rejects.toMatchObject({ code: 'upstream', status: 404 });
      const answer = await open().query({ ...arms, text: 'walrus' });
      expect(answer.sparse.map(({ id }) => id)).toEqual(['b/1/0']);
      expect([answer.dense, answer.chunks.length, typeof answer.warning]).toEqual([[], 1, 'string']);
    },
  );

  test('empty index has no missing points', async () => {
    const { open, lose } = losing();
    expect(await open().compare()).toEqual({ expected: 0, missing: 0 });
    await put(open(), document('a'), ['one']);
    await open().remove(['a'], 1);
    await lose('dropped');
    expect(await open().compare()).toEqual({ expected: 0, missing: 0 });
    expect(await idsNear(open())).toEqual([]);
  });
}
