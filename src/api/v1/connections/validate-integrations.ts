import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { checkDataSource, type SourceCheck } from '#src/services/connections/check-data-source.ts';
import { newDataSink } from '#src/services/connections/data-sinks.ts';
import { newDataSource } from '#src/services/connections/data-sources.ts';
import { validateEmbeddingConnection } from '#src/services/connections/validate-integrations.ts';
import { checkDataSink } from '#src/services/indexes/check-data-sink.ts';

/** Result of a connection check. `loc` is the path of the wrong setting, if it is known. */
export const connectionCheck = z
  .object({
    success: z.boolean(),
    message: z.string(),
    loc: z.array(z.union([z.string(), z.int()])).optional(),
  })
  .meta({ id: 'ConnectionCheck' });

/** Result of checking a data source, with the first files that a sync would list. */
export const sourceCheck = connectionCheck
  .extend({
    sample: z
      .array(
        z.object({
          name: z.string(),
          path: z.string(),
          size: z.int().nullable(),
          web_url: z.string().nullable(),
        }),
      )
      .max(10)
      .optional(),
  })
  .meta({ id: 'DataSourceCheck' });

export const presentSourceCheck = ({ sample, ...check }: SourceCheck): z.input<typeof sourceCheck> => ({
  ...check,
  ...(sample && { sample: sample.map(({ webUrl, ...entry }) => ({ ...entry, web_url: webUrl })) }),
});

export const validateIntegrationOperations = [
  operation({
    method: 'post',
    path: '/api/v1/validate-integrations/validate-embedding-connection',
    id: 'validateEmbeddingConnection',
    needs: 'write',
    tag: 'Embedding model configs',
    summary: 'Test an embedding model',
    description:
      'Embeds one short text with the settings of the request, without saving them. The answer says ' +
      'whether that worked and, if not, why.',
    access: 'project',
    body: { json: embeddingConfig },
    response: { status: 200, json: connectionCheck },
    handle: ({ ctx, body }) => validateEmbeddingConnection(ctx, body),
  }),
  operation({
    method: 'post',
    path: '/api/v1/validate-integrations/validate-data-sink-connection',
    id: 'validateDataSinkConnection',
    needs: 'write',
    tag: 'Data sinks',
    summary: 'Test the settings of a data sink',
    description:
      'Connects to the vector store with the settings of the request, without saving them. The answer ' +
      'says whether that worked and, if not, why.',
    access: 'project',
    body: { json: newDataSink },
    response: { status: 200, json: connectionCheck },
    handle: ({ ctx, body }) => checkDataSink(ctx, body),
  }),
  operation({
    method: 'post',
    path: '/api/v1/validate-integrations/validate-data-source-connection',
    id: 'validateDataSourceConnection',
    needs: 'write',
    tag: 'Data sources',
    summary: 'Test the settings of a data source',
    description:
      'Connects with the settings of the request, without saving them. The answer says whether that ' +
      'worked, and shows the first files that a sync would read.',
    access: 'project',
    body: { json: newDataSource },
    response: { status: 200, json: sourceCheck },
    handle: async ({ ctx, body }) => presentSourceCheck(await checkDataSource(ctx, body)),
  }),
];
