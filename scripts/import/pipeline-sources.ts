import { z } from 'zod';
import { putAll } from './members.ts';
import { type Move, type Reading, sifted } from './move.ts';
import type { Pipeline } from './pipelines.ts';

const link = z.looseObject({
  id: z.string().min(1),
  data_source_id: z.string().nullish(),
  name: z.string(),
  sync_interval: z.number().nullish(),
});

/** The data sources of a pipeline by their ids, with their schedules (seconds). */
export async function sourcesOf(move: Reading, pipeline: Pipeline) {
  const path = `/api/v1/pipelines/${encodeURIComponent(pipeline.id)}/data-sources`;
  const links = await move.from.call(z.array(z.unknown()), 'GET', path);
  return sifted(move, 'pipeline data source', link, links).map((one) => ({
    ...one,
    id: one.data_source_id ?? one.id,
  }));
}

/** Links the copies of a pipeline's sources to its copy. */
export async function copySources(move: Move, pipeline: Pipeline, target: string): Promise<void> {
  for (const one of await sourcesOf(move, pipeline)) {
    const name = `${one.name} of ${pipeline.name}`;
    const from = `${pipeline.id}/${one.id}`;
    const source = move.state.get('data source', one.id);
    if (move.state.get('pipeline data source', from) !== undefined) {
      move.report.count('pipeline data sources', false);
    } else if (source === undefined) {
      move.report.fail(
        'pipeline data source',
        name,
        'its data source was not copied; the pipeline is without it',
      );
    } else {
      const body = { data_source_id: source, sync_interval: one.sync_interval ?? null };
      await putAll(move, {
        kind: 'pipeline data source',
        path: `/api/v1/pipelines/${encodeURIComponent(target)}/data-sources`,
        entries: [{ from, name, body, to: source }],
      });
    }
  }
}
