import { z } from 'zod';
import { createdItem, findOrCreate, type ImportContext, parseItems, type SourceContext } from './context.ts';

const PATH = '/api/v1/retrievers';

const part = z.looseObject({ pipeline_id: z.string(), name: z.string().nullish() });
const retriever = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  pipelines: z.array(part).nullish(),
});
export type Retriever = z.output<typeof retriever>;

/** Lists all retrievers. With `only`, lists the retrievers whose pipelines all have ids in `only`. */
export async function listRetrievers(
  context: SourceContext,
  only?: ReadonlySet<string>,
): Promise<Retriever[]> {
  const query = { project_id: context.fromProject };
  const items = await context.from.call(z.array(z.unknown()), 'GET', PATH, { query });
  const all = parseItems(context, 'retriever', retriever, items);
  return only ? all.filter(({ pipelines }) => pipelines?.every((one) => only.has(one.pipeline_id))) : all;
}

/**
 * Copies retrievers. Their pipelines must be copied first. A retriever with a missing pipeline is reported
 * and copied by a later run.
 */
export async function copyRetrievers(context: ImportContext, items: readonly Retriever[]): Promise<void> {
  const query = { project_id: context.toProject };
  for (const item of items) {
    const parts = (item.pipelines ?? []).map(({ pipeline_id, ...rest }) => ({
      ...rest,
      pipeline_id: context.state.get('pipeline', pipeline_id) ?? '',
    }));
    const absent = parts.findIndex(({ pipeline_id }) => pipeline_id === '');
    if (absent >= 0) {
      const { name, pipeline_id } = item.pipelines![absent]!;
      context.report.fail('retriever', item.name, `its pipeline ${name ?? pipeline_id} was not copied`);
      continue;
    }
    await findOrCreate(context, 'retriever', item, {
      found: async () => {
        const existing = await context.to.call(z.array(retriever), 'GET', PATH, {
          query: { ...query, name: item.name },
        });
        return existing.filter(({ name }) => name === item.name);
      },
      make: () =>
        context.to.call(createdItem, 'POST', PATH, {
          query,
          body: { name: item.name, pipelines: parts },
          isCreating: true,
        }),
    });
  }
}
