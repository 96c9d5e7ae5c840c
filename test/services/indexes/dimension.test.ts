import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { type PipelineIndex, pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { createIndexEmbedder, enforceDimension } from '#src/services/indexes/embedding.ts';
import { selectLiveIndex } from '#src/services/indexes/indexes.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

const ctx = createContext(env, { waitUntil() {} });

const createModel = (dimension: number): Embedder => ({
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

it('the first document vectors of an index set its dimension, and query vectors do not', async () => {
  const index = await newIndex();
  const embedder = enforceDimension(ctx, index, createModel(8));
  await embedder.embed(['a'], 'query');
  expect(await stored(index)).toBeNull();
  await embedder.embed(['a'], 'document');
  expect([await stored(index), embedder.dimension]).toEqual([8, 8]);
});

it.each(['document', 'query'] as const)(
  'a %s vector of another dimension is rejected with both dimensions',
  async (purpose) => {
    const index = await newIndex();
    await enforceDimension(ctx, index, createModel(8)).embed(['a'], 'document');
    const known = { ...index, dimension: 8 };
    await expect(enforceDimension(ctx, known, createModel(5)).embed(['a'], purpose)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/^embedding_config: .*with 8 dimensions, but m returned 5/),
    });
    expect(await stored(index)).toBe(8);
  },
);

it('the first of two writers sets the dimension of an index', async () => {
  const index = await newIndex();
  await enforceDimension(ctx, index, createModel(8)).embed(['a'], 'document');
  await expect(enforceDimension(ctx, index, createModel(5)).embed(['a'], 'document')).rejects.toThrow(
    '8 dimensions',
  );
  expect(await stored(index)).toBe(8);
});

it('a synced index has the dimension of its model', async () => {
  const id = await createPipeline();
  await addFiles(id, { 'note.txt': 'The ferry is green.' });
  await sync(id);
  const [index] = await selectLiveIndex(ctx, id);
  const pipeline = (await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
  const { dimension } = await createIndexEmbedder(ctx, pipeline, index!);
  expect(dimension).toBeGreaterThan(0);
  expect(index!.dimension).toBe(dimension);
});
