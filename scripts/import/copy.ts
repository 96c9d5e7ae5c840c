import { mkdirSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { copyComponents, DATA_SINKS, DATA_SOURCES, EMBEDDING_MODELS } from './components.ts';
import { copyConfigurations } from './configurations.ts';
import { messageOf, RequestFailure } from './failures.ts';
import { copyFiles } from './files.ts';
import { copyDocuments, copyMembers } from './members.ts';
import type { Kind, Move } from './move.ts';
import { copySources } from './pipeline-sources.ts';
import { copyPipelines, type Pipeline } from './pipelines.ts';
import { copyRetrievers } from './retrievers.ts';
import { filesOfSelection, type Selection } from './selection.ts';

/** Copies what was selected, in the order in which one thing needs another. */
export async function copyAll(move: Move, selection: Selection): Promise<void> {
  await copyComponents(move, DATA_SINKS, selection.sinks);
  await copyComponents(move, EMBEDDING_MODELS, selection.embeddingModels);
  await copyComponents(move, DATA_SOURCES, selection.sources);
  await copyConfigurations(move, selection.configurations);
  await copyPipelines(move, selection.pipelines);
  // Before files, which take long and may fail: it needs none of them.
  await copyRetrievers(move, selection.retrievers);

  // Beside the state, so that what a kill leaves behind is found by the next run.
  const folder = `${move.state.path}.files`;
  const leave = () => rmSync(folder, { recursive: true, force: true });
  leave();
  mkdirSync(folder, { mode: 0o700 });
  process.on('exit', leave);
  try {
    await attempt(move, 'file', '(list)', () => copyFiles(move, folder, filesOfSelection(move, selection)));
  } finally {
    leave();
    process.off('exit', leave);
  }
  for (const pipeline of selection.pipelines) {
    const target = move.state.get('pipeline', pipeline.id);
    if (target !== undefined) await fillPipeline(move, pipeline, target);
  }
}

async function fillPipeline(move: Move, pipeline: Pipeline, target: string): Promise<void> {
  const { name } = pipeline;
  const contents = ['pipeline files', 'documents', 'pipeline data sources'];
  const copied = () => contents.reduce((sum, kind) => sum + (move.report.copied.get(kind) ?? 0), 0);
  const before = copied();
  await attempt(move, 'pipeline file', `(list) ${name}`, () => copyMembers(move, pipeline, target));
  await attempt(move, 'document', `(list) ${name}`, () => copyDocuments(move, pipeline, target));
  await attempt(move, 'pipeline data source', `(list) ${name}`, () => copySources(move, pipeline, target));
  const begun = move.state.get('sync', pipeline.id) !== undefined;
  if (!move.sync || (begun && copied() === before)) return;
  await attempt(move, 'sync', name, async () => {
    await move.to.call(z.unknown(), 'POST', `/api/v1/pipelines/${encodeURIComponent(target)}/sync`);
    if (!begun) move.state.put({ kind: 'sync', from: pipeline.id, to: target });
  });
}

/** A list that cannot be read ends that list only. */
async function attempt(move: Move, kind: Kind, name: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    move.report.fail(kind, name, messageOf(cause));
  }
}
