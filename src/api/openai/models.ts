import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import type { TenantContext } from '#src/context/context.ts';
import { findSearchablesByName, listSearchables, type Searchable } from '#src/retrieval/searchable.ts';
import { chooseModelNames, findSearchable, getStableName, modelName } from './names.ts';

const model = z
  .object({
    id: z.string().describe('Id for requests: the name, or the stable id if the name is ambiguous.'),
    object: z.literal('model'),
    created: z.number().int().describe('Time of creation in seconds since 1970.'),
    owned_by: z.string().describe('Id of the project.'),
    sluice: z
      .object({
        id: z
          .string()
          .describe('Stable id, `pipeline-<id>` or `retriever-<id>`. Requests accept it as a model name.'),
        kind: z.enum(['pipeline', 'retriever']),
        name: z.string(),
      })
      .describe('Pipeline or retriever behind the model.'),
  })
  .meta({ id: 'Model' });

const common = { tag: 'Models', access: 'project', method: 'get' } as const;

function presentModel(ctx: TenantContext, each: Searchable, id: string): z.input<typeof model> {
  const { kind, name, createdAt } = each;
  return {
    id,
    object: 'model',
    created: Math.floor(createdAt.getTime() / 1000),
    owned_by: ctx.projectId,
    sluice: { id: getStableName(each), kind, name },
  };
}

export const modelOperations = [
  operation({
    ...common,
    path: '/v1/models',
    id: 'listModels',
    needs: 'retrieve',
    summary: 'List models',
    description:
      'Returns every pipeline and retriever of the project as a model. Send the `id` of a model as the ' +
      '`model` of other requests.',
    response: { status: 200, json: z.object({ object: z.literal('list'), data: z.array(model) }) },
    async handle({ ctx }) {
      const all = await listSearchables(ctx);
      return {
        object: 'list' as const,
        data: [...chooseModelNames(all)].map(([each, name]) => presentModel(ctx, each, name)),
      };
    },
  }),
  operation({
    ...common,
    path: '/v1/models/{model}',
    id: 'getModel',
    needs: 'retrieve',
    summary: 'Read a model',
    description:
      'Returns one pipeline or retriever as a model, by its name or as `pipeline-<id>` or ' +
      '`retriever-<id>`.',
    params: z.object({ model: modelName }),
    response: { status: 200, json: model },
    async handle({ ctx, params }) {
      const found = await findSearchable(ctx, params.model);
      // The model is returned under its own name only if that name finds it, and nothing else, in the
      // request's project.
      const named = await findSearchablesByName(ctx, found.name);
      const isNamed = named.length === 1 && named[0]!.id === found.id;
      return presentModel(
        ctx,
        found,
        isNamed ? chooseModelNames(named).get(named[0]!)! : getStableName(found),
      );
    },
  }),
];
