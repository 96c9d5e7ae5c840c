import { z } from 'zod';
import { ensure, type Move, made, type Reading, sifted } from './move.ts';

const PATH = '/api/v1/retrievers';

const part = z.looseObject({ pipeline_id: z.string(), name: z.string().nullish() });
const retriever = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  pipelines: z.array(part).nullish(),
});
export type Retriever = z.output<typeof retriever>;

/** With only some pipelines: those that ask no others. */
export async function listRetrievers(move: Reading, only?: ReadonlySet<string>): Promise<Retriever[]> {
  const query = { project_id: move.fromProject };
  const items = await move.from.call(z.array(z.unknown()), 'GET', PATH, { query });
  const all = sifted(move, 'retriever', retriever, items);
  return only ? all.filter(({ pipelines }) => pipelines?.every((one) => only.has(one.pipeline_id))) : all;
}

/** After pipelines. One that lacks a pipeline waits for the run that copies it. */
export async function copyRetrievers(move: Move, items: readonly Retriever[]): Promise<void> {
  const query = { project_id: move.toProject };
  for (const item of items) {
    const parts = (item.pipelines ?? []).map(({ pipeline_id, ...rest }) => ({
      ...rest,
      pipeline_id: move.state.get('pipeline', pipeline_id) ?? '',
    }));
    const absent = parts.findIndex(({ pipeline_id }) => pipeline_id === '');
    if (absent >= 0) {
      const { name, pipeline_id } = item.pipelines![absent]!;
      move.report.fail('retriever', item.name, `its pipeline ${name ?? pipeline_id} was not copied`);
      continue;
    }
    await ensure(move, 'retriever', item, {
      found: async () => {
        const there = await move.to.call(z.array(retriever), 'GET', PATH, {
          query: { ...query, name: item.name },
        });
        return there.filter(({ name }) => name === item.name);
      },
      make: () =>
        move.to.call(made, 'POST', PATH, {
          query,
          body: { name: item.name, pipelines: parts },
          makes: true,
        }),
    });
  }
}
