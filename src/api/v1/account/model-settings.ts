import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ModelSettings } from '#src/db/schema/index.ts';
import { getModelSettings, newModelSettings, putModelSettings } from '#src/services/models/settings.ts';

const modelSettingsBody = z
  .object({
    project_id: z.uuid(),
    models: z.record(z.string(), z.string()).describe('Name of a model, or `builtin`, for each use.'),
    daily_tokens: z.number().int().nullish(),
    available_models: z.array(z.string()).describe('Names of the models of this installation.'),
  })
  .meta({ id: 'ModelSettings' });

const present = (ctx: TenantContext, row: ModelSettings): z.input<typeof modelSettingsBody> => ({
  project_id: row.projectId,
  models: row.models,
  daily_tokens: row.dailyTokens,
  available_models: ctx.models.languageNames(),
});

const path = '/api/v1/projects/{project_id}/model-settings';
const params = idParams('project_id');
const response = { status: 200, json: modelSettingsBody } as const;
const tag = 'Projects';

export const modelSettingsOperations = [
  operation({
    method: 'get',
    path,
    id: 'getModelSettings',
    needs: 'read',
    tag,
    summary: 'Read the model settings of a project',
    description:
      'Returns which language model does each kind of work in the project, and how many tokens the ' +
      'project may use a day.',
    access: 'organization',
    params,
    response,
    handle: async ({ ctx, params }) => present(ctx, await getModelSettings(ctx, params.project_id)),
  }),
  operation({
    method: 'put',
    path,
    id: 'putModelSettings',
    needs: 'admin',
    tag,
    summary: 'Replace the model settings of a project',
    description:
      'Sets the language model for each kind of work, and the daily limit of tokens. Members that the ' +
      'request omits are reset to the defaults of the installation.',
    access: 'organization',
    params,
    body: { json: newModelSettings },
    response,
    handle: async ({ ctx, params, body }) =>
      present(ctx, await putModelSettings(ctx, params.project_id, body)),
  }),
];
