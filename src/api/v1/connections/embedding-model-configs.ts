import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
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

const embeddingModelConfigs = resource({
  tag: 'Embedding model configs',
  collection: {
    name: 'embedding model configs',
    path: '/api/v1/embedding-model-configs',
    access: 'project',
  },
  item: {
    name: 'an embedding model config',
    path: '/api/v1/embedding-model-configs/{embedding_model_config_id}',
    params: idParams('embedding_model_config_id'),
    access: 'project',
  },
  body: embeddingModelConfigBody,
  present: (row: EmbeddingModelConfig, ctx) => presentEmbeddingModelConfig(ctx, row),
});

export const embeddingModelConfigOperations = [
  embeddingModelConfigs.list({
    id: 'listEmbeddingModelConfigs',
    needs: 'read',
    description: 'Returns the saved embedding models of the project. Secrets in the answer are masked.',
    run: ({ ctx }) => listEmbeddingModelConfigs(ctx),
  }),
  embeddingModelConfigs.create({
    id: 'createEmbeddingModelConfig',
    needs: 'write',
    description:
      'Saves an embedding model with its settings and credentials under a name, so that several ' +
      'pipelines can use it.',
    body: newEmbeddingModelConfig,
    status: 201,
    run: ({ ctx, body }) => createEmbeddingModelConfig(ctx, body),
  }),
  embeddingModelConfigs.upsert({
    id: 'upsertEmbeddingModelConfig',
    needs: 'write',
    description:
      'Updates the embedding model config of this name in the project, or creates it if there is none.',
    body: newEmbeddingModelConfig,
    run: ({ ctx, body }) => upsertEmbeddingModelConfig(ctx, body),
  }),
  embeddingModelConfigs.get({
    id: 'getEmbeddingModelConfig',
    needs: 'read',
    description: 'Returns the type and the settings of the embedding model. Secrets are masked.',
    access: 'resource',
    run: ({ ctx, params }) => getEmbeddingModelConfig(ctx, params.embedding_model_config_id),
  }),
  embeddingModelConfigs.update({
    id: 'updateEmbeddingModelConfig',
    needs: 'write',
    description:
      'Changes the name or the settings. A masked secret that is sent back keeps the stored value.',
    body: embeddingModelConfigChanges,
    run: ({ ctx, params, body }) => updateEmbeddingModelConfig(ctx, params.embedding_model_config_id, body),
  }),
  embeddingModelConfigs.delete({
    id: 'deleteEmbeddingModelConfig',
    needs: 'write',
    description: 'Answers 409 while a pipeline uses the embedding model config.',
    run: ({ ctx, params }) => deleteEmbeddingModelConfig(ctx, params.embedding_model_config_id),
  }),
];
