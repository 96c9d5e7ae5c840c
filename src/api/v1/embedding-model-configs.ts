import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams, timestamp } from '#src/api/schemas.ts';
import type { Context } from '#src/context/context.ts';
import type { EmbeddingModelConfig } from '#src/db/schema/index.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import {
  createEmbeddingModelConfig,
  deleteEmbeddingModelConfig,
  embeddingModelConfigChanges,
  getEmbeddingModelConfig,
  listEmbeddingModelConfigs,
  maskEmbedding,
  newEmbeddingModelConfig,
  updateEmbeddingModelConfig,
  upsertEmbeddingModelConfig,
} from '#src/services/connections/embedding-model-configs.ts';

export const embeddingModelConfigBody = z
  .object({
    id: z.uuid(),
    embedding_config: embeddingConfig,
    name: z.string(),
    project_id: z.string(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'EmbeddingModelConfig' });

type Body = z.input<typeof embeddingModelConfigBody>;

export function presentEmbeddingModelConfig(ctx: Context, row: EmbeddingModelConfig): Body {
  return {
    id: row.id,
    embedding_config: maskEmbedding(ctx, row.embeddingConfig) as Body['embedding_config'],
    name: row.name,
    project_id: row.projectId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const params = idParams('embedding_model_config_id');
const tag = 'Embedding model configs';

export const embeddingModelConfigOperations = [
  operation({
    method: 'get',
    path: '/api/v1/embedding-model-configs',
    id: 'listEmbeddingModelConfigs',
    tag,
    summary: 'List embedding model configs',
    description: 'Returns the saved embedding models of the project. Secrets in the answer are masked.',
    access: 'project',
    response: { status: 200, json: z.array(embeddingModelConfigBody) },
    handle: async ({ ctx }) =>
      (await listEmbeddingModelConfigs(ctx)).map((row) => presentEmbeddingModelConfig(ctx, row)),
  }),
  operation({
    method: 'post',
    path: '/api/v1/embedding-model-configs',
    id: 'createEmbeddingModelConfig',
    tag,
    summary: 'Create an embedding model config',
    description:
      'Saves an embedding model with its settings and credentials under a name, so that several ' +
      'pipelines can use it.',
    access: 'project',
    body: { json: newEmbeddingModelConfig },
    response: { status: 201, json: embeddingModelConfigBody },
    handle: async ({ ctx, body }) =>
      presentEmbeddingModelConfig(ctx, await createEmbeddingModelConfig(ctx, body)),
  }),
  operation({
    method: 'put',
    path: '/api/v1/embedding-model-configs',
    id: 'upsertEmbeddingModelConfig',
    tag,
    summary: 'Create or update an embedding model config by name',
    description:
      'Updates the embedding model config of this name in the project, or creates it if there is none.',
    access: 'project',
    body: { json: newEmbeddingModelConfig },
    response: { status: 200, json: embeddingModelConfigBody },
    handle: async ({ ctx, body }) =>
      presentEmbeddingModelConfig(ctx, await upsertEmbeddingModelConfig(ctx, body)),
  }),
  operation({
    method: 'get',
    path: '/api/v1/embedding-model-configs/{embedding_model_config_id}',
    id: 'getEmbeddingModelConfig',
    tag,
    summary: 'Read an embedding model config',
    description: 'Returns the type and the settings of the embedding model. Secrets are masked.',
    access: 'resource',
    params,
    response: { status: 200, json: embeddingModelConfigBody },
    handle: async ({ ctx, params }) =>
      presentEmbeddingModelConfig(ctx, await getEmbeddingModelConfig(ctx, params.embedding_model_config_id)),
  }),
  operation({
    method: 'put',
    path: '/api/v1/embedding-model-configs/{embedding_model_config_id}',
    id: 'updateEmbeddingModelConfig',
    tag,
    summary: 'Update an embedding model config',
    description:
      'Changes the name or the settings. A masked secret that is sent back keeps the stored value.',
    access: 'project',
    params,
    body: { json: embeddingModelConfigChanges },
    response: { status: 200, json: embeddingModelConfigBody },
    handle: async ({ ctx, params, body }) => {
      const row = await updateEmbeddingModelConfig(ctx, params.embedding_model_config_id, body);
      return presentEmbeddingModelConfig(ctx, row);
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/embedding-model-configs/{embedding_model_config_id}',
    id: 'deleteEmbeddingModelConfig',
    tag,
    summary: 'Delete an embedding model config',
    description: 'Answers 409 while a pipeline uses the embedding model config.',
    access: 'project',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteEmbeddingModelConfig(ctx, params.embedding_model_config_id),
  }),
];
