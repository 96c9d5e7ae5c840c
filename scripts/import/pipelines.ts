import { z } from 'zod';
import { createdItem, findOrCreate, type ImportContext, parseItems, type SourceContext } from './context.ts';
import { formatPath, removeNulls, replaceAt } from './masks.ts';

const PATH = '/api/v1/pipelines';

const reference = z.looseObject({ id: z.string(), name: z.string().nullish() });

const pipeline = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  data_sink: reference.nullish(),
  embedding_model_config_id: z.string().nullish(),
});
export type Pipeline = z.output<typeof pipeline>;

/** Settings that are copied unchanged. All other fields of a pipeline are specific to its server. */
const SETTINGS = ['transform_config', 'sparse_model_config', 'metadata_config', 'llama_parse_parameters'];

/** Lists all pipelines, or those with the given names. A name that does not exist is reported. */
export async function listPipelines(context: SourceContext, names: readonly string[]): Promise<Pipeline[]> {
  const query = { project_id: context.fromProject };
  const all = parseItems(
    context,
    'pipeline',
    pipeline,
    await context.from.call(z.array(z.unknown()), 'GET', PATH, { query }),
  );
  if (names.length === 0) return all;
  for (const name of names) {
    if (!all.some((one) => one.name === name))
      context.report.fail('pipeline', name, 'the source has no pipeline with this name');
  }
  return all.filter(({ name }) => names.includes(name));
}

/**
 * Copies pipelines. Their data sinks and embedding models must be copied first. A pipeline that cannot be
 * created as at the source is reported and skipped.
 */
export async function copyPipelines(context: ImportContext, items: readonly Pipeline[]): Promise<void> {
  const query = { project_id: context.toProject };
  for (const item of items) {
    const body =
      context.state.get('pipeline', item.id) === undefined ? await buildPipelineBody(context, item) : {};
    if (!body) continue;
    await findOrCreate(context, 'pipeline', item, {
      found: async () => {
        const found = await context.to.call(z.array(reference), 'GET', PATH, {
          query: { ...query, pipeline_name: item.name },
        });
        return found.filter(({ name }) => name === item.name);
      },
      make: () => context.to.call(createdItem, 'POST', PATH, { query, body, isCreating: true }),
    });
  }
}

async function buildPipelineBody(context: ImportContext, item: Pipeline): Promise<object | undefined> {
  const sink = item.data_sink && context.state.get('data sink', item.data_sink.id);
  if (item.data_sink && sink === undefined) {
    context.report.fail('pipeline', item.name, `its data sink ${item.data_sink.name ?? ''} was not copied`);
    return undefined;
  }
  const embedding = await buildEmbedding(context, item);
  if (!embedding) return undefined;
  const settings = SETTINGS.filter((name) => item[name] != null).map((name) => [
    name,
    removeNulls(item[name]),
  ]);
  const filled = await withoutUnknownSecrets(context, item.name, Object.fromEntries(settings));
  return {
    name: item.name,
    ...(typeof item.pipeline_type === 'string' && { pipeline_type: item.pipeline_type }),
    ...(sink && { data_sink_id: sink }),
    ...embedding,
    ...filled,
    // Null is a valid operand in filters, so nulls are not removed here.
    ...(item.preset_retrieval_parameters != null && {
      preset_retrieval_parameters: item.preset_retrieval_parameters,
    }),
  };
}

async function buildEmbedding(context: ImportContext, item: Pipeline): Promise<object | undefined> {
  if (item.embedding_model_config_id) {
    const id = context.state.get('embedding model configuration', item.embedding_model_config_id);
    if (id !== undefined) return { embedding_model_config_id: id };
    context.report.fail('pipeline', item.name, 'its embedding model configuration was not copied');
    return undefined;
  }
  if (item.embedding_config == null) return {};
  const given = { embedding_config: removeNulls(item.embedding_config) };
  const { value, missing } = await context.secrets.fill({ group: 'pipelines', name: item.name }, given);
  if (missing.length === 0) return value as object;
  context.report.fail('pipeline', item.name, `secrets are missing: ${missing.map(formatPath).join(', ')}`);
  return undefined;
}

async function withoutUnknownSecrets(
  context: ImportContext,
  name: string,
  settings: object,
): Promise<object> {
  const { value, missing } = await context.secrets.fill({ group: 'pipelines', name }, settings, {
    within: false,
  });
  let filled = value;
  // Starts with the last path, so that removing a list entry does not shift entries that still have to be
  // removed.
  for (const path of missing.toReversed()) {
    context.report.note('pipeline', name, `created without its secret ${formatPath(path)}`);
    filled = replaceAt(filled, path, undefined);
  }
  return filled as object;
}
