import { type Component, DATA_SINKS, DATA_SOURCES, EMBEDDING_MODELS, listComponents } from './components.ts';
import { type Configuration, listConfigurations } from './configurations.ts';
import type { Kind, SourceContext } from './context.ts';
import { getMessage, RequestFailure } from './failures.ts';
import { listFiles, type SourceFile } from './files.ts';
import { listPipelineFiles } from './pipeline-contents.ts';
import { listPipelineSources } from './pipeline-sources.ts';
import { listPipelines, type Pipeline } from './pipelines.ts';
import { listRetrievers, type Retriever } from './retrievers.ts';

/** Objects of the source that an import copies. */
export interface Selection {
  sinks: Component[];
  sources: Component[];
  embeddingModels: Component[];
  configurations: Configuration[];
  pipelines: Pipeline[];
  retrievers: Retriever[];
  /** True if only the files of the selected pipelines are copied. */
  isPartial: boolean;
}

/**
 * Selects what to copy. Without names, selects everything in the project. Otherwise selects the named
 * pipelines, everything they depend on, and the retrievers that use only these pipelines.
 */
export async function select(context: SourceContext, names: readonly string[]): Promise<Selection> {
  const some = names.length > 0;
  const pipelines = await listOrReport(context, 'pipeline', () => listPipelines(context, names));
  const needed = some ? await findRequiredIds(context, pipelines) : undefined;
  const components = async (of: typeof DATA_SINKS) => {
    const all = await listOrReport(context, of.kind, () => listComponents(context, of));
    return needed ? all.filter(({ id }) => needed.has(id)) : all;
  };
  return {
    isPartial: some,
    pipelines,
    sinks: await components(DATA_SINKS),
    sources: await components(DATA_SOURCES),
    embeddingModels: await components(EMBEDDING_MODELS),
    configurations: some
      ? []
      : await listOrReport(context, 'configuration', () => listConfigurations(context)),
    retrievers: await listOrReport(context, 'retriever', () =>
      listRetrievers(context, some ? new Set(pipelines.map(({ id }) => id)) : undefined),
    ),
  };
}

async function findRequiredIds(context: SourceContext, pipelines: readonly Pipeline[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const pipeline of pipelines) {
    if (pipeline.data_sink) needed.add(pipeline.data_sink.id);
    if (pipeline.embedding_model_config_id) needed.add(pipeline.embedding_model_config_id);
    const sources = await listOrReport(context, 'pipeline data source', () =>
      listPipelineSources(context, pipeline),
    );
    for (const { id } of sources) needed.add(id);
  }
  return needed;
}

/** Lists each file once, even if several pipelines contain it. */
export async function* listSelectedFiles(
  context: SourceContext,
  selection: Selection,
): AsyncGenerator<SourceFile> {
  const seen = new Set<string>();
  const lists = selection.isPartial
    ? selection.pipelines.map((pipeline) => listPipelineFiles(context, pipeline))
    : [listFiles(context)];
  for (const list of lists) {
    for await (const file of list) {
      if (seen.has(file.id)) continue;
      seen.add(file.id);
      yield file;
    }
  }
}

/** Reports a list that cannot be read and returns an empty one, so that the other lists are still copied. */
async function listOrReport<Item>(
  context: SourceContext,
  kind: Kind,
  list: () => Promise<Item[]>,
): Promise<Item[]> {
  try {
    return await list();
  } catch (cause) {
    if (!(cause instanceof RequestFailure) || cause.status === 401 || cause.status === 403) throw cause;
    context.report.fail(kind, '(list)', getMessage(cause));
    return [];
  }
}
