import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, metadata, timestamp } from '#src/api/schemas.ts';
import type { Context } from '#src/context/context.ts';
import type { DataSource } from '#src/db/schema/index.ts';
import { checkSavedDataSource } from '#src/services/connections/check-data-source.ts';
import {
  createDataSource,
  dataSourceChanges,
  deleteDataSource,
  getDataSource,
  listDataSources,
  maskedSource,
  newDataSource,
  READER_VERSIONS,
  updateDataSource,
  upsertDataSource,
} from '#src/services/connections/data-sources.ts';
import { sourceComponentInput, sourceType } from '#src/sources/registry.ts';
import { presentSourceCheck, sourceCheck } from './validate-integrations.ts';

export const dataSourceBody = z
  .object({
    id: z.uuid(),
    component: sourceComponentInput,
    name: z.string(),
    project_id: z.string(),
    source_type: sourceType,
    custom_metadata: metadata.nullish(),
    version_metadata: z.object({ reader_version: z.enum(READER_VERSIONS).nullish() }).nullish(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'DataSource' });

type Body = z.input<typeof dataSourceBody>;

export function presentDataSource(ctx: Context, row: DataSource): Body {
  const source = maskedSource(ctx, row);
  return {
    id: source.id,
    component: source.component,
    name: source.name,
    project_id: source.projectId,
    source_type: source.sourceType as Body['source_type'],
    custom_metadata: source.customMetadata as Body['custom_metadata'],
    version_metadata: source.versionMetadata as Body['version_metadata'],
    created_at: source.createdAt.toISOString(),
    updated_at: source.updatedAt.toISOString(),
  };
}

const params = idParams('data_source_id');
const tag = 'Data sources';
const path = '/api/v1/data-sources';
const response = { status: 200, json: dataSourceBody } as const;

export const dataSourceOperations = [
  operation({
    method: 'get',
    path,
    id: 'listDataSources',
    tag,
    summary: 'List data sources',
    description:
      'Returns the data sources of the project. A data source is a connection to a system whose files ' +
      'pipelines read. Secrets in the answer are masked.',
    access: 'project',
    response: { status: 200, json: z.array(dataSourceBody) },
    handle: async ({ ctx }) => (await listDataSources(ctx)).map((row) => presentDataSource(ctx, row)),
  }),
  operation({
    method: 'post',
    path,
    id: 'createDataSource',
    tag,
    summary: 'Create a data source',
    description:
      'Saves a connection to a system with files, which you can then add to pipelines. The `component` ' +
      'has the fields of the `source_type`. Secrets are encrypted, and no answer shows them again.',
    access: 'project',
    body: { json: newDataSource },
    response,
    handle: async ({ ctx, body }) => presentDataSource(ctx, await createDataSource(ctx, body)),
  }),
  operation({
    method: 'put',
    path,
    id: 'upsertDataSource',
    tag,
    summary: 'Create or update a data source by name',
    description: 'Updates the data source of this name in the project, or creates it if there is none.',
    access: 'project',
    body: { json: newDataSource },
    response,
    handle: async ({ ctx, body }) => presentDataSource(ctx, await upsertDataSource(ctx, body)),
  }),
  operation({
    method: 'get',
    path: `${path}/{data_source_id}`,
    id: 'getDataSource',
    tag,
    summary: 'Read a data source',
    description: 'Returns the type and the settings of the data source. Secrets are masked.',
    access: 'resource',
    params,
    response,
    handle: async ({ ctx, params }) =>
      presentDataSource(ctx, await getDataSource(ctx, params.data_source_id)),
  }),
  operation({
    method: 'put',
    path: `${path}/{data_source_id}`,
    id: 'updateDataSource',
    tag,
    summary: 'Update a data source',
    description:
      'Changes the name or the settings. The next sync reads with the new settings. A masked secret ' +
      'that is sent back keeps the stored value.',
    access: 'resource',
    params,
    body: { json: dataSourceChanges },
    response,
    handle: async ({ ctx, params, body }) =>
      presentDataSource(ctx, await updateDataSource(ctx, params.data_source_id, body)),
  }),
  operation({
    method: 'delete',
    path: `${path}/{data_source_id}`,
    id: 'deleteDataSource',
    tag,
    summary: 'Delete a data source',
    description: 'Deletes the connection. Answers 409 while a pipeline uses the data source.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteDataSource(ctx, params.data_source_id),
  }),
  operation({
    method: 'post',
    path: `${path}/{data_source_id}/validate`,
    id: 'validateDataSource',
    tag,
    summary: 'Test a data source',
    description:
      'Connects with the saved settings. The answer says whether that worked, and shows the first ' +
      'files that a sync would read.',
    access: 'resource',
    params,
    response: { status: 200, json: sourceCheck },
    handle: async ({ ctx, params }) =>
      presentSourceCheck(await checkSavedDataSource(ctx, params.data_source_id)),
  }),
];
