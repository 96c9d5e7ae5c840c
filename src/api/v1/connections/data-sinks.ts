import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
import type { Context } from '#src/context/context.ts';
import type { DataSink } from '#src/db/schema/index.ts';
import {
  createDataSink,
  dataSinkChanges,
  deleteDataSink,
  getDataSink,
  listDataSinks,
  maskDataSink,
  newDataSink,
  updateDataSink,
  upsertDataSink,
} from '#src/services/connections/data-sinks.ts';
import { checkSavedDataSink } from '#src/services/indexes/check-data-sink.ts';
import { sinkComponentInput, sinkType } from '#src/sinks/registry.ts';
import { connectionCheck } from './validate-integrations.ts';

export const dataSinkBody = z
  .object({
    id: z.uuid(),
    component: sinkComponentInput,
    name: z.string(),
    project_id: z.string(),
    sink_type: sinkType,
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'DataSink' });

export function presentDataSink(ctx: Context, row: DataSink): z.input<typeof dataSinkBody> {
  const { id, component, name, projectId, sinkType, createdAt, updatedAt } = maskDataSink(ctx, row);
  return {
    id,
    component,
    name,
    project_id: projectId,
    sink_type: sinkType as z.input<typeof dataSinkBody>['sink_type'],
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

const tag = 'Data sinks';
const params = idParams('data_sink_id');

const dataSinks = resource({
  tag,
  collection: { name: 'data sinks', path: '/api/v1/data-sinks', access: 'project' },
  item: { name: 'a data sink', path: '/api/v1/data-sinks/{data_sink_id}', params, access: 'resource' },
  body: dataSinkBody,
  present: (row: DataSink, ctx) => presentDataSink(ctx, row),
});

export const dataSinkOperations = [
  dataSinks.list({
    id: 'listDataSinks',
    needs: 'read',
    description:
      'Returns the data sinks of the project. A data sink is a connection to a vector store in which ' +
      'pipelines keep their vectors. Secrets in the answer are masked.',
    run: ({ ctx }) => listDataSinks(ctx),
  }),
  dataSinks.create({
    id: 'createDataSink',
    needs: 'write',
    description:
      'Saves a connection to a vector store, which pipelines can use as their index. The `component` ' +
      'has the fields of the `sink_type`. Secrets are encrypted, and no answer shows them again.',
    body: newDataSink,
    run: ({ ctx, body }) => createDataSink(ctx, body),
  }),
  dataSinks.upsert({
    id: 'upsertDataSink',
    needs: 'write',
    description: 'Updates the data sink of this name in the project, or creates it if there is none.',
    body: newDataSink,
    run: ({ ctx, body }) => upsertDataSink(ctx, body),
  }),
  dataSinks.get({
    id: 'getDataSink',
    needs: 'read',
    description: 'Returns the type and the settings of the data sink. Secrets are masked.',
    run: ({ ctx, params }) => getDataSink(ctx, params.data_sink_id),
  }),
  dataSinks.update({
    id: 'updateDataSink',
    needs: 'write',
    description:
      'Changes the name or the settings. Indexes in this data sink use the new settings from now on. A ' +
      'masked secret that is sent back keeps the stored value.',
    body: dataSinkChanges,
    run: ({ ctx, params, body }) => updateDataSink(ctx, params.data_sink_id, body),
  }),
  dataSinks.delete({
    id: 'deleteDataSink',
    needs: 'write',
    description:
      'Deletes the connection. The data in the vector store is not deleted. Answers 409 while a pipeline ' +
      'uses the data sink.',
    run: ({ ctx, params }) => deleteDataSink(ctx, params.data_sink_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/data-sinks/{data_sink_id}/validate',
    id: 'validateDataSink',
    needs: 'write',
    tag,
    summary: 'Test a data sink',
    description:
      'Connects to the vector store with the saved settings. The answer says whether that worked and, ' +
      'if not, which setting is wrong.',
    access: 'resource',
    params,
    response: { status: 200, json: connectionCheck },
    handle: ({ ctx, params }) => checkSavedDataSink(ctx, params.data_sink_id),
  }),
];
