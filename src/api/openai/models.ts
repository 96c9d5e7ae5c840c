import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import type { TenantContext } from '#src/context/context.ts';
import { type Askable, askablesNamed, listAskables } from '#src/retrieval/askable.ts';
import { askableOf, listedNames, modelName, stableName } from './names.ts';

const model = z
  .object({
    id: z.string().describe('What requests name it by: its name, or where that is not clear its stable id.'),
    object: z.literal('model'),
    created: z.number().int().describe('Seconds since 1970.'),
    owned_by: z.string().describe('The project.'),
    sluice: z
      .object({
        id: z.string().describe('`pipeline-<id>` or `retriever-<id>`: taken as a model’s name as well.'),
        kind: z.enum(['pipeline', 'retriever']),
        name: z.string(),
      })
      .describe('What it is here.'),
  })
  .meta({ id: 'Model' });

const common = { tag: 'Models', access: 'project', method: 'get' } as const;

function view(ctx: TenantContext, each: Askable, id: string): z.input<typeof model> {
  const { kind, name, createdAt } = each;
  return {
    id,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: ctx.projectId,
    sluice: { id: stableName(each), kind, name },
  };
}

export const modelOperations = [
  operation({
    ...common,
    path: '/v1/models',
    id: 'listModels',
    summary: 'List models',
    description:
      'Returns every pipeline and retriever of the project as a model. Send the `id` of a model as the ' +
      '`model` of other requests.',
    response: { status: 200, json: z.object({ object: z.literal('list'), data: z.array(model) }) },
    async handle({ ctx }) {
      const all = await listAskables(ctx);
      return {
        object: 'list' as const,
        data: [...listedNames(all)].map(([each, name]) => view(ctx, each, name)),
      };
    },
  }),
  operation({
    ...common,
    path: '/v1/models/{model}',
    id: 'getModel',
    summary: 'Read a model',
    description:
      'Returns one pipeline or retriever as a model, by its name or as `pipeline-<id>` or ' +
      '`retriever-<id>`.',
    params: z.object({ model: modelName }),
    response: { status: 200, json: model },
    async handle({ ctx, params }) {
      const found = await askableOf(ctx, params.model);
      // A name is only valid within the project of the request.
      const named = await askablesNamed(ctx, found.name);
      const isNamed = named.length === 1 && named[0]!.id === found.id;
      return view(ctx, found, isNamed ? listedNames(named).get(named[0]!)! : stableName(found));
    },
  }),
];
