import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { pipelineIndexes, pipelines } from '#src/db/schema/index.ts';
import type { AiBinding } from '#src/models/definition/definition.ts';
import { embedderOf, ownEmbedderOf } from '#src/services/indexes/embedding.ts';
import { fittingIndex, openIndexes } from '#src/services/indexes/indexes.ts';
import { targetIndex } from '#src/services/indexes/lifecycle.ts';
import { addFiles, createPipeline, statusOf, sync } from '#test/support/pipelines.ts';

const ENDPOINT = { EMBEDDING_BASE_URL: 'http://127.0.0.1:9/v1', EMBEDDING_MODEL: 'm' };
const AI: AiBinding = { run: () => Promise.reject(new Error('not asked')) };

/** The service as it is after a start with these settings and bindings. */
const startedWith = (more: object = {}) => createContext({ ...env, ...more }, createExecutionContext());

async function synced() {
  const id = await createPipeline();
  await addFiles(id, { 'a.txt': 'The ferry is green.' });
  await sync(id);
  const { db } = startedWith();
  const pipeline = (await db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
  const [live] = await openIndexes(startedWith(), id);
  return { id, pipeline, live: live! };
}

const isFitting = async (ctx: Context, { pipeline, id }: Awaited<ReturnType<typeof synced>>) =>
  (await fittingIndex(ctx, pipeline, await openIndexes(ctx, id)))?.state;

describe('the model of pipelines that name none', () => {
  it('is the built-in one, that of Workers AI, or that of the endpoint', async () => {
    const { pipeline } = await synced();
    const modelOf = async (more: object) => (await ownEmbedderOf(startedWith(more), pipeline)).modelId;
    expect(await modelOf({})).toMatch(/^builtin\//);
    expect(await modelOf({ AI })).toBe('workers-ai/@cf/baai/bge-m3');
    expect(await modelOf(ENDPOINT)).toBe('m@http://127.0.0.1:9/v1');
    expect(await modelOf({ AI, ...ENDPOINT })).toBe('m@http://127.0.0.1:9/v1');
    expect(await modelOf({ AI, EMBEDDING_MODEL: 'builtin' })).toMatch(/^builtin\//);
  });

  it('gets an index of its own when it changes, beside the one that answers', async () => {
    const before = await synced();
    const { id, pipeline, live } = before;
    expect(await isFitting(startedWith(), before)).toBe('live');
    expect((await statusOf(id)).progress).toMatchObject({ builds_index: false });

    const after = startedWith(ENDPOINT);
    expect(await isFitting(after, before)).toBe(undefined);
    const target = await targetIndex(after, pipeline, 99);
    expect(target.state).toBe('building');
    expect((await statusOf(id)).progress).toMatchObject({ builds_index: true });
    expect((await embedderOf(after, pipeline, live)).modelId).toMatch(/^builtin\//);
    expect((await embedderOf(after, pipeline, target)).modelId).toBe('m@http://127.0.0.1:9/v1');
    const later = startedWith({ ...ENDPOINT, EMBEDDING_MODEL: 'other' });
    expect((await embedderOf(later, pipeline, target)).modelId).toBe('m@http://127.0.0.1:9/v1');
    const states = await openIndexes(after, id);
    expect(states.map(({ state }) => state).sort()).toEqual(['building', 'live']);
  });

  it('of an index is told as missing where the installation no longer has it', async () => {
    const { pipeline, live } = await synced();
    const { db } = startedWith();
    const embeddingConfig = { ...pipeline.embeddingConfig, standsFor: 'm@http://gone.test/v1' };
    await db.update(pipelineIndexes).set({ embeddingConfig }).where(eq(pipelineIndexes.id, live.id));
    await expect(embedderOf(startedWith(), pipeline, { ...live, embeddingConfig })).rejects.toThrow(
      /made with m@http:\/\/gone\.test/,
    );
  });

  it('must be named beside its endpoint', () => {
    const { EMBEDDING_MODEL, ...nameless } = ENDPOINT;
    expect(() => startedWith(nameless)).toThrow(/EMBEDDING_MODEL: required beside EMBEDDING_BASE_URL/);
  });
});
