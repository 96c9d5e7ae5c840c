import { z } from 'zod';
import { type ImportContext, parseItems, type SourceContext } from './context.ts';
import { putAll } from './pipeline-contents.ts';
import type { Pipeline } from './pipelines.ts';

const link = z.looseObject({
  id: z.string().min(1),
  data_source_id: z.string().nullish(),
  name: z.string(),
  sync_interval: z.number().nullish(),
});

/** Lists the data sources of a pipeline with their sync intervals in seconds. */
export async function listPipelineSources(context: SourceContext, pipeline: Pipeline) {
  const path = `/api/v1/pipelines/${encodeURIComponent(pipeline.id)}/data-sources`;
  const links = await context.from.call(z.array(z.unknown()), 'GET', path);
  return parseItems(context, 'pipeline data source', link, links).map((one) => ({
    ...one,
    id: one.data_source_id ?? one.id,
  }));
}

/** Adds the copies of a pipeline's data sources to the copied pipeline. */
export async function copySources(context: ImportContext, pipeline: Pipeline, target: string): Promise<void> {
  for (const one of await listPipelineSources(context, pipeline)) {
    const name = `${one.name} of ${pipeline.name}`;
    const from = `${pipeline.id}/${one.id}`;
    const source = context.state.get('data source', one.id);
    if (context.state.get('pipeline data source', from) !== undefined) {
      context.report.count('pipeline data sources', false);
    } else if (source === undefined) {
      context.report.fail(
        'pipeline data source',
        name,
        'its data source was not copied, so the copied pipeline does not have it',
      );
    } else {
      const body = { data_source_id: source, sync_interval: one.sync_interval ?? null };
      await putAll(context, {
        kind: 'pipeline data source',
        path: `/api/v1/pipelines/${encodeURIComponent(target)}/data-sources`,
        entries: [{ from, name, body, to: source }],
      });
    }
  }
}
