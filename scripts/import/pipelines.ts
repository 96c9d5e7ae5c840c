import { z } from 'zod';
import { nameOf, replacedAt, withoutNulls } from './masks.ts';
import { ensure, type Move, made, type Reading, sifted } from './move.ts';

const PATH = '/api/v1/pipelines';

const reference = z.looseObject({ id: z.string(), name: z.string().nullish() });

const pipeline = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  data_sink: reference.nullish(),
  embedding_model_config_id: z.string().nullish(),
});
export type Pipeline = z.output<typeof pipeline>;

/** Copied as they are; what else a pipeline answers is the server's own. */
const SETTINGS = ['transform_config', 'sparse_model_config', 'metadata_config', 'llama_parse_parameters'];

/** All, or those of the given names; a name that none has is reported. */
export async function listPipelines(move: Reading, names: readonly string[]): Promise<Pipeline[]> {
  const query = { project_id: move.fromProject };
  const all = sifted(
    move,
    'pipeline',
    pipeline,
    await move.from.call(z.array(z.unknown()), 'GET', PATH, { query }),
  );
  if (names.length === 0) return all;
  for (const name of names) {
    if (!all.some((one) => one.name === name))
      move.report.fail('pipeline', name, 'the source has none of this name');
  }
  return all.filter(({ name }) => names.includes(name));
}

/** After sinks and embedding models. One that cannot be made as it is at the source is reported and left out. */
export async function copyPipelines(move: Move, items: readonly Pipeline[]): Promise<void> {
  const query = { project_id: move.toProject };
  for (const item of items) {
    const body = move.state.get('pipeline', item.id) === undefined ? await bodyOf(move, item) : {};
    if (!body) continue;
    await ensure(move, 'pipeline', item, {
      found: async () => {
        const found = await move.to.call(z.array(reference), 'GET', PATH, {
          query: { ...query, pipeline_name: item.name },
        });
        return found.filter(({ name }) => name === item.name);
      },
      make: () => move.to.call(made, 'POST', PATH, { query, body, makes: true }),
    });
  }
}

async function bodyOf(move: Move, item: Pipeline): Promise<object | undefined> {
  const sink = item.data_sink && move.state.get('data sink', item.data_sink.id);
  if (item.data_sink && sink === undefined) {
    move.report.fail('pipeline', item.name, `its data sink ${item.data_sink.name ?? ''} was not copied`);
    return undefined;
  }
  const embedding = await embeddingOf(move, item);
  if (!embedding) return undefined;
  const settings = SETTINGS.filter((name) => item[name] != null).map((name) => [
    name,
    withoutNulls(item[name]),
  ]);
  const filled = await withoutUnknownSecrets(move, item.name, Object.fromEntries(settings));
  return {
    name: item.name,
    ...(typeof item.pipeline_type === 'string' && { pipeline_type: item.pipeline_type }),
    ...(sink && { data_sink_id: sink }),
    ...embedding,
    ...filled,
    // Nulls within filters are values to compare with.
    ...(item.preset_retrieval_parameters != null && {
      preset_retrieval_parameters: item.preset_retrieval_parameters,
    }),
  };
}

async function embeddingOf(move: Move, item: Pipeline): Promise<object | undefined> {
  if (item.embedding_model_config_id) {
    const id = move.state.get('embedding model configuration', item.embedding_model_config_id);
    if (id !== undefined) return { embedding_model_config_id: id };
    move.report.fail('pipeline', item.name, 'its embedding model configuration was not copied');
    return undefined;
  }
  if (item.embedding_config == null) return {};
  const given = { embedding_config: withoutNulls(item.embedding_config) };
  const { value, missing } = await move.secrets.fill({ group: 'pipelines', name: item.name }, given);
  if (missing.length === 0) return value as object;
  move.report.fail('pipeline', item.name, `secrets are missing: ${missing.map(nameOf).join(', ')}`);
  return undefined;
}

async function withoutUnknownSecrets(move: Move, name: string, settings: object): Promise<object> {
  const { value, missing } = await move.secrets.fill({ group: 'pipelines', name }, settings, {
    within: false,
  });
  let kept = value;
  // From the last, so that taking one entry of a list out moves none that is still to go.
  for (const path of missing.toReversed()) {
    move.report.note('pipeline', name, `made without its secret ${nameOf(path)}`);
    kept = replacedAt(kept, path, undefined);
  }
  return kept as object;
}
