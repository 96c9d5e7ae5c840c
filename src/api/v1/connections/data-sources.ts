import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, metadata, timestamp } from '#src/api/operation/schemas.ts';
import type { Context } from '#src/context/context.ts';
import type { DataSource } from '#src/db/schema/index.ts';
import { checkSavedDataSource } from '#src/services/connections/check-data-source.ts';
import {
  createDataSource,
  dataSourceChanges,
  deleteDataSource,
  getDataSource,
  listDataSources,
  maskDataSource,
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
  const source = maskDataSource(ctx, row);
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

const tag = 'Data sources';
const params = idParams('data_source_id');

const dataSources = resource({
  tag,
  collection: { name: 'data sources', path: '/api/v1/data-sources', access: 'project' },
  item: { name: 'a data source', path: '/api/v1/data-sources/{data_source_id}', params, access: 'resource' },
  body: dataSourceBody,
  present: (row: DataSource, ctx) => presentDataSource(ctx, row),
});

export const dataSourceOperations = [
  dataSources.list({
    id: 'listDataSources',
    needs: 'read',
    description:
      'Returns the data sources of the project. A data source is a connection to a system whose files ' +
      'pipelines read. Secrets in the answer are masked.',
    run: ({ ctx }) => listDataSources(ctx),
  }),
  dataSources.create({
    id: 'createDataSource',
    needs: 'write',
    description:
      'Saves a connection to a system with files, which you can then add to pipelines. The `component` ' +
      'has the fields of the `source_type`. Secrets are encrypted, and no answer shows them again.',
    body: newDataSource,
    run: ({ ctx, body }) => createDataSource(ctx, body),
  }),
  dataSources.upsert({
    id: 'upsertDataSource',
    needs: 'write',
    description: 'Updates the data source of this name in the project, or creates it if there is none.',
    body: newDataSource,
    run: ({ ctx, body }) => upsertDataSource(ctx, body),
  }),
  dataSources.get({
    id: 'getDataSource',
    needs: 'read',
    description: 'Returns the type and the settings of the data source. Secrets are masked.',
    run: ({ ctx, params }) => getDataSource(ctx, params.data_source_id),
  }),
  dataSources.update({
    id: 'updateDataSource',
    needs: 'write',
    description:
      'Changes the name or the settings. The next sync reads with the new settings. A masked secret ' +
      'that is sent back keeps the stored value.',
    body: dataSourceChanges,
    run: ({ ctx, params, body }) => updateDataSource(ctx, params.data_source_id, body),
  }),
  dataSources.delete({
    id: 'deleteDataSource',
    needs: 'write',
    description: 'Deletes the connection. Answers 409 while a pipeline uses the data source.',
    run: ({ ctx, params }) => deleteDataSource(ctx, params.data_source_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/data-sources/{data_source_id}/validate',
    id: 'validateDataSource',
    needs: 'write',
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
