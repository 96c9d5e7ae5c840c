import { type Component, DATA_SINKS, DATA_SOURCES, EMBEDDING_MODELS, listComponents } from './components.ts';
import { type Configuration, listConfigurations } from './configurations.ts';
import { messageOf, RequestFailure } from './failures.ts';
import { listFiles, type SourceFile } from './files.ts';
import { filesOf } from './members.ts';
import type { Kind, Reading } from './move.ts';
import { sourcesOf } from './pipeline-sources.ts';
import { listPipelines, type Pipeline } from './pipelines.ts';
import { listRetrievers, type Retriever } from './retrievers.ts';

/** What is to be copied. */
export interface Selection {
  sinks: Component[];
  sources: Component[];
  embeddingModels: Component[];
  configurations: Configuration[];
  pipelines: Pipeline[];
  retrievers: Retriever[];
  /** Only the files of the pipelines. */
  some: boolean;
}

/** All of the project, or the named pipelines with what they need and the retrievers that ask them. */
export async function select(move: Reading, names: readonly string[]): Promise<Selection> {
  const some = names.length > 0;
  const pipelines = await orNone(move, 'pipeline', () => listPipelines(move, names));
  const needed = some ? await neededBy(move, pipelines) : undefined;
  const components = async (of: typeof DATA_SINKS) => {
    const all = await orNone(move, of.kind, () => listComponents(move, of));
    return needed ? all.filter(({ id }) => needed.has(id)) : all;
  };
  return {
    some,
    pipelines,
    sinks: await components(DATA_SINKS),
    sources: await components(DATA_SOURCES),
    embeddingModels: await components(EMBEDDING_MODELS),
    configurations: some ? [] : await orNone(move, 'configuration', () => listConfigurations(move)),
    retrievers: await orNone(move, 'retriever', () =>
      listRetrievers(move, some ? new Set(pipelines.map(({ id }) => id)) : undefined),
    ),
  };
}

async function neededBy(move: Reading, pipelines: readonly Pipeline[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const pipeline of pipelines) {
    if (pipeline.data_sink) needed.add(pipeline.data_sink.id);
    if (pipeline.embedding_model_config_id) needed.add(pipeline.embedding_model_config_id);
    const sources = await orNone(move, 'pipeline data source', () => sourcesOf(move, pipeline));
    for (const { id } of sources) needed.add(id);
  }
  return needed;
}

/** Each once, though it may be in several pipelines. */
export async function* filesOfSelection(move: Reading, selection: Selection): AsyncGenerator<SourceFile> {
  const seen = new Set<string>();
  const lists = selection.some
    ? selection.pipelines.map((pipeline) => filesOf(move, pipeline))
    : [listFiles(move)];
  for (const list of lists) {
    for await (const file of list) {
      if (seen.has(file.id)) continue;
      seen.add(file.id);
      yield file;
    }
  }
}

/** A list that cannot be read is reported, and the others are copied. */
async function orNone<Item>(move: Reading, kind: Kind, list: () => Promise<Item[]>): Promise<Item[]> {
  try {
    return await list();
  } catch (cause) {
    if (!(cause instanceof RequestFailure) || cause.status === 401 || cause.status === 403) throw cause;
    move.report.fail(kind, '(list)', messageOf(cause));
    return [];
  }
}
