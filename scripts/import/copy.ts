import { mkdirSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { copyComponents, DATA_SINKS, DATA_SOURCES, EMBEDDING_MODELS } from './components.ts';
import { copyConfigurations } from './configurations.ts';
import type { ImportContext, Kind } from './context.ts';
import { getMessage, RequestFailure } from './failures.ts';
import { copyFiles } from './files.ts';
import { copyDocuments, copyMembers } from './pipeline-contents.ts';
import { copySources } from './pipeline-sources.ts';
import { copyPipelines, type Pipeline } from './pipelines.ts';
import { copyRetrievers } from './retrievers.ts';
import { listSelectedFiles, type Selection } from './selection.ts';

/** Copies the selected objects in an order in which no object precedes those that it refers to. */
export async function copyAll(context: ImportContext, selection: Selection): Promise<void> {
  await copyComponents(context, DATA_SINKS, selection.sinks);
  await copyComponents(context, EMBEDDING_MODELS, selection.embeddingModels);
  await copyComponents(context, DATA_SOURCES, selection.sources);
  await copyConfigurations(context, selection.configurations);
  await copyPipelines(context, selection.pipelines);
  // Retrievers do not depend on files. They are copied first, because copying files takes long and may fail.
  await copyRetrievers(context, selection.retrievers);

  // The temporary folder is next to the state file. The next run therefore finds and deletes what a killed
  // run left behind.
  const folder = `${context.state.path}.files`;
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  removeFolder();
  mkdirSync(folder, { mode: 0o700 });
  process.on('exit', removeFolder);
  try {
    await attempt(context, 'file', '(list)', () =>
      copyFiles(context, folder, listSelectedFiles(context, selection)),
    );
  } finally {
    removeFolder();
    process.off('exit', removeFolder);
  }
  for (const pipeline of selection.pipelines) {
    const target = context.state.get('pipeline', pipeline.id);
    if (target !== undefined) await fillPipeline(context, pipeline, target);
  }
}

async function fillPipeline(context: ImportContext, pipeline: Pipeline, target: string): Promise<void> {
  const { name } = pipeline;
  const contents = ['pipeline files', 'documents', 'pipeline data sources'];
  const copied = () => contents.reduce((sum, kind) => sum + (context.report.copied.get(kind) ?? 0), 0);
  const before = copied();
  await attempt(context, 'pipeline file', `(list) ${name}`, () => copyMembers(context, pipeline, target));
  await attempt(context, 'document', `(list) ${name}`, () => copyDocuments(context, pipeline, target));
  await attempt(context, 'pipeline data source', `(list) ${name}`, () =>
    copySources(context, pipeline, target),
  );
  const wasStarted = context.state.get('sync', pipeline.id) !== undefined;
  if (!context.sync || (wasStarted && copied() === before)) return;
  await attempt(context, 'sync', name, async () => {
    await context.to.call(z.unknown(), 'POST', `/api/v1/pipelines/${encodeURIComponent(target)}/sync`);
    if (!wasStarted) context.state.put({ kind: 'sync', from: pipeline.id, to: target });
  });
}

/** Reports a failure to read one list and continues with the others. */
async function attempt(
  context: ImportContext,
  kind: Kind,
  name: string,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    context.report.fail(kind, name, getMessage(cause));
  }
}
