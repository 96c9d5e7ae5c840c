import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { indexedDocuments, pipelineIndexes } from '#src/db/schema/index.ts';
import { buildEntryUpdate } from '#src/services/sync/record.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} };

it('a late attempt does not overwrite the record of a newer attempt', async () => {
  const id = await createPipeline();
  const [fileId] = (await addFiles(id, { 'gull.txt': 'The gull eats herring.' })) as [string];
  await sync(id);
  const ctx = createContext(env, execution);
  const index = await ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.pipelineId, id) });
  const known = () =>
    ctx.db.query.indexedDocuments.findFirst({ where: eq(indexedDocuments.documentId, fileId) });
  const before = (await known())!;
  const remember = (content: string, version: number) =>
    buildEntryUpdate({ ctx, index: index! }, [
      {
        subject: { documentId: fileId, fingerprints: { content, metadata: content } },
        entry: { version, chunkCount: 9, pageCount: null, contextHash: content },
      },
    ]);
  await remember('late', before.version - 1);
  expect(await known()).toEqual(before);
  await remember('newer', before.version + 1);
  expect(await known()).toMatchObject({ contentFingerprint: 'newer', version: before.version + 1 });
});
