import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams } from '#src/api/schemas.ts';
import type { TenantContext } from '#src/context.ts';
import type { ModelSettings } from '#src/db/schema/index.ts';
import { getModelSettings, newModelSettings, putModelSettings } from '#src/services/models/settings.ts';

const modelSettingsBody = z
  .object({
    project_id: z.uuid(),
    models: z.record(z.string(), z.string()).describe('Use -> name of a model, or "builtin".'),
    daily_tokens: z.number().int().nullish(),
    available_models: z.array(z.string()).describe('The names that models have in this installation.'),
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
    tag,
    summary: 'Which language models work for a project, and its tokens of a day',
    access: 'organization',
    params,
    response,
    handle: async ({ ctx, params }) => present(ctx, await getModelSettings(ctx, params.project_id)),
  }),
  operation({
    method: 'put',
    path,
    id: 'putModelSettings',
    tag,
    summary: 'Choose the language models of a project, and its tokens of a day',
    description:
      'In place of all that was chosen before: what is left out is the installation’s default again.',
    access: 'organization',
    params,
    body: { json: newModelSettings },
    response,
    handle: async ({ ctx, params, body }) =>
      present(ctx, await putModelSettings(ctx, params.project_id, body)),
  }),
];
