import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import type { AiBinding } from '#src/models/definition/definition.ts';
import { createIndexEmbedder, createOwnEmbedder } from '#src/services/indexes/embedding.ts';
import { findFittingIndex, selectOpenIndexes } from '#src/services/indexes/indexes.ts';
import { prepareTargetIndex } from '#src/services/indexes/lifecycle.ts';
import { addFiles, createPipeline, statusOf, sync } from '#test/support/pipelines.ts';

const ENDPOINT = { EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1', EMBEDDING_MODEL: 'm' };
const AI: AiBinding = { run: () => Promise.reject(new Error('not asked')) };

/** Creates the context of a service that starts with these settings and bindings. */
const startedWith = (more: object = {}) => createContext({ ...env, ...more }, createExecutionContext());

async function synced() {
  const id = await createPipeline();
  await addFiles(id, { 'a.txt': 'The ferry is green.' });
  await sync(id);
  const { db } = startedWith();
  const pipeline = (await db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
  const [live] = await selectOpenIndexes(startedWith(), id);
  return { id, pipeline, live: live! };
}

const isFitting = async (ctx: Context, { pipeline, id }: Awaited<ReturnType<typeof synced>>) =>
  (await findFittingIndex(ctx, pipeline, await selectOpenIndexes(ctx, id)))?.state;

describe('the default model of pipelines', () => {
  it('is the built-in model, the one of Workers AI, or the one of the endpoint', async () => {
    const { pipeline } = await synced();
    const getModelId = async (more: object) => (await createOwnEmbedder(startedWith(more), pipeline)).modelId;
    expect(await getModelId({})).toMatch(/^builtin\//);
    expect(await getModelId({ AI })).toBe('workers-ai/@cf/baai/bge-m3');
    expect(await getModelId(ENDPOINT)).toBe('m@http://127.0.0.1:9/v1');
    expect(await getModelId({ AI, ...ENDPOINT })).toBe('m@http://127.0.0.1:9/v1');
    expect(await getModelId({ AI, EMBEDDING_MODEL: 'builtin' })).toMatch(/^builtin\//);
  });

  it('causes a second index when it changes, while the old one still answers', async () => {
    const before = await synced();
    const { id, pipeline, live } = before;
    expect(await isFitting(startedWith(), before)).toBe('live');
    expect((await statusOf(id)).progress).toMatchObject({ builds_index: false });

    const after = startedWith(ENDPOINT);
    expect(await isFitting(after, before)).toBe(undefined);
    const target = await prepareTargetIndex(after, pipeline, 99);
    expect(target.state).toBe('building');
    expect((await statusOf(id)).progress).toMatchObject({ builds_index: true });
    expect((await createIndexEmbedder(after, pipeline, live)).modelId).toMatch(/^builtin\//);
    expect((await createIndexEmbedder(after, pipeline, target)).modelId).toBe('m@http://127.0.0.1:9/v1');
    const later = startedWith({ ...ENDPOINT, EMBEDDING_MODEL: 'other' });
    expect((await createIndexEmbedder(later, pipeline, target)).modelId).toBe('m@http://127.0.0.1:9/v1');
    const states = await selectOpenIndexes(after, id);
    expect(states.map(({ state }) => state).sort()).toEqual(['building', 'live']);
  });

  it('causes an error if an index needs a model that the installation no longer has', async () => {
    const { pipeline, live } = await synced();
    const { db } = startedWith();
    const embeddingConfig = { ...pipeline.embeddingConfig, standsFor: 'm@http://gone.test/v1' };
    await db.update(pipelineIndexes).set({ embeddingConfig }).where(eq(pipelineIndexes.id, live.id));
    await expect(createIndexEmbedder(startedWith(), pipeline, { ...live, embeddingConfig })).rejects.toThrow(
      /embedding model m@http:\/\/gone\.test/,
    );
  });

  it('must be named if an endpoint is set', () => {
    const { EMBEDDING_MODEL, ...nameless } = ENDPOINT;
    expect(() => startedWith(nameless)).toThrow(
      /EMBEDDING_MODEL: is required together with EMBEDDING_BASE_URL/,
    );
  });
});
