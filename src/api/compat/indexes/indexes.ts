import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import {
  createDirectoryIndex,
  deleteIndex,
  getIndex,
  getIndexPage,
  type IndexView,
  syncIndex,
} from '#src/services/directory-indexes/indexes.ts';
import { newDirectoryIndex } from '#src/services/directory-indexes/input.ts';

const indexBody = z
  .object({
    id: z.string().describe('Id of the pipeline that the index is.'),
    name: z.string(),
    description: z.string().nullish(),
    project_id: z.string(),
    source_directory_id: z
      .string()
      .describe('Directory whose files are indexed. The id of the pipeline, if it has no directory.'),
    output_directory_id: z.string().describe('The same as `source_directory_id`.'),
    sync_config_id: z.string().describe('Id of the pipeline, which contains this configuration.'),
    export_config_id: z.string().describe('Id of the pipeline, which contains this configuration.'),
    last_synced_at: timestamp
      .nullish()
      .describe('Time at which the index was last compared with the directory.'),
    last_exported_at: timestamp.nullish().describe('Time at which the last sync run ended.'),
    metadata: z
      .object({
        status: z.string().describe('State of the newest sync run, or `NOT_STARTED`.'),
        sync_frequency: z.string(),
        file_counts: z.record(z.string(), z.number()).describe('Number of files by state.'),
      })
      .describe('State of the index.'),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'ClientIndex' });

function presentIndex({ pipeline, row, overview }: IndexView): z.input<typeof indexBody> {
  const run = overview.newest?.run;
  const directoryId = row?.directoryId ?? pipeline.id;
  const isOpen = run && run.finishedAt === null;
  return {
    id: pipeline.id,
    name: row?.name ?? pipeline.name,
    description: row?.description ?? null,
    project_id: pipeline.projectId,
    source_directory_id: directoryId,
    output_directory_id: directoryId,
    sync_config_id: pipeline.id,
    export_config_id: pipeline.id,
    last_synced_at: (row?.syncedAt ?? run?.startedAt)?.toISOString() ?? null,
    last_exported_at: run?.finishedAt?.toISOString() ?? null,
    metadata: {
      status: isOpen ? 'IN_PROGRESS' : (run?.status ?? 'NOT_STARTED'),
      sync_frequency: row?.syncFrequency ?? 'manual',
      file_counts: overview.counts?.file ?? {},
    },
    created_at: pipeline.createdAt.toISOString(),
    updated_at: pipeline.updatedAt.toISOString(),
  };
}

const tag = 'Pipelines';
const path = '/api/v1/indexes';
const one = `${path}/{index_id}` as const;
const params = z.object({ index_id: pathId('idx') });

export const clientIndexOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateIndex',
    needs: 'write',
    tag,
    summary: 'Create an index over a directory',
    description:
      'Creates a pipeline with the files of a directory and begins to index them. The pipeline has the id of the index.',
    access: 'project',
    body: { json: newDirectoryIndex.meta({ id: 'ClientIndexCreate' }) },
    response: { status: 201, json: indexBody },
    errors: [400, 409],
    handle: async ({ ctx, body }) => presentIndex(await createDirectoryIndex(ctx, body)),
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListIndexes',
    needs: 'retrieve',
    tag,
    summary: 'List indexes',
    description: 'Returns one page of the pipelines of the project as indexes, newest first.',
    access: 'project',
    query: pageQuery.extend({
      source_directory_id: z.string().max(200).nullish().describe('Only indexes over this directory.'),
    }),
    response: { status: 200, json: buildPageSchema(indexBody).meta({ id: 'ClientIndexPage' }) },
    async handle({ ctx, query }) {
      const page = await getIndexPage(ctx, query);
      return { ...page, items: page.items.map(presentIndex) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'clientGetIndex',
    needs: 'retrieve',
    tag,
    summary: 'Read an index',
    description: 'Returns a pipeline as an index, with the state of its newest sync.',
    access: 'resource',
    params,
    response: { status: 200, json: indexBody },
    handle: async ({ ctx, params }) => presentIndex(await getIndex(ctx, params.index_id)),
  }),
  operation({
    method: 'post',
    path: `${one}/sync`,
    id: 'clientSyncIndex',
    needs: 'write',
    tag,
    summary: 'Sync an index with its directory',
    description:
      'Adds new files of the directory to the index, removes those that left it, and begins a sync. Only changes are ' +
      'parsed and embedded.',
    access: 'resource',
    params,
    response: { status: 202, json: indexBody },
    errors: [409],
    handle: async ({ ctx, params }) => presentIndex(await syncIndex(ctx, params.index_id)),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'clientDeleteIndex',
    needs: 'write',
    tag,
    summary: 'Delete an index',
    description: 'Deletes the pipeline. The directory and its files stay.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteIndex(ctx, params.index_id),
  }),
];
