import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { type PipelineIndex, pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { embedderOf, heldToIndex } from '#src/services/indexes/embedding.ts';
import { liveIndex } from '#src/services/indexes/indexes.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

const ctx = createContext(env, { waitUntil() {} });

const modelOf = (dimension: number): Embedder => ({
  ...{ modelId: 'm', dimension },
  embed: async (texts) => texts.map(() => new Float32Array(dimension).fill(1)),
});

async function newIndex(): Promise<PipelineIndex> {
  const [id, pipelineId] = [crypto.randomUUID(), await createPipeline()];
  const values = { id, pipelineId, configHash: '', state: 'building' } as const;
  const [row] = await ctx.db.insert(pipelineIndexes).values(values).returning();
  return row!;
}
const stored = async ({ id }: PipelineIndex) =>
  (await ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.id, id) }))?.dimension;

it('the first vectors of an index decide its dimension, and those of a query do not', async () => {
  const index = await newIndex();
  const embedder = heldToIndex(ctx, index, modelOf(8));
  await embedder.embed(['a'], 'query');
  expect(await stored(index)).toBeNull();
  await embedder.embed(['a'], 'document');
  expect([await stored(index), embedder.dimension]).toEqual([8, 8]);
});

it.each(['document', 'query'] as const)(
  'another dimension of a %s is refused, with both',
  async (purpose) => {
    const index = await newIndex();
    await heldToIndex(ctx, index, modelOf(8)).embed(['a'], 'document');
    const known = { ...index, dimension: 8 };
    await expect(heldToIndex(ctx, known, modelOf(5)).embed(['a'], purpose)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^embedding_config: .*of 8 dimensions, and m gives 5/),
    });
    expect(await stored(index)).toBe(8);
  },
);

it('of two that begin an index at once one decides', async () => {
  const index = await newIndex();
  await heldToIndex(ctx, index, modelOf(8)).embed(['a'], 'document');
  await expect(heldToIndex(ctx, index, modelOf(5)).embed(['a'], 'document')).rejects.toThrow('8 dimensions');
  expect(await stored(index)).toBe(8);
});

it('a synced pipeline keeps that of its model', async () => {
  const id = await createPipeline();
  await addFiles(id, { 'note.txt': 'The ferry is green.' });
  await sync(id);
  const [index] = await liveIndex(ctx, id);
  const pipeline = (await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
  const { dimension } = await embedderOf(ctx, pipeline, index!);
  expect(dimension).toBeGreaterThan(0);
  expect(index!.dimension).toBe(dimension);
});
