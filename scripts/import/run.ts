import { Api } from './api.ts';
import { copyAll } from './copy.ts';
import type { Move } from './move.ts';
import type { Options } from './options.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { planOf } from './plan.ts';
import { requireOrMakeProject, requireProject } from './projects.ts';
import { Report } from './report.ts';
import { type Ask, readSecrets, Secrets } from './secrets.ts';
import { select } from './selection.ts';
import { State } from './state.ts';
import type { Redactor } from './tell.ts';

interface Surroundings {
  redactor: Redactor;
  /** The variable IMPORT_SECRETS. */
  secrets?: string | undefined;
  ask?: Ask | undefined;
  patience?: Patience;
  progress?: { write(text: string): unknown; isTTY?: boolean };
}

export interface Outcome {
  /** For a person. */
  text: string;
  /** Whether everything that was to be copied is at the target. */
  complete: boolean;
}

/** One import from beginning to end. Throws WrongUse, or RequestFailure when a server cannot be spoken to at all. */
export async function runImport(options: Options, around: Surroundings): Promise<Outcome> {
  const { redactor, patience = PATIENCE } = around;
  redactor.add([options.fromKey, options.toKey]);
  const report = new Report(redactor, around.progress);
  const person = around.ask;
  const ask: Ask | undefined = person && ((question) => report.silently(() => person(question)));
  const secrets = new Secrets(readSecrets(options.secretsFile, around.secrets), ask, redactor);
  const from = new Api('source', options.from, options.fromKey, patience, redactor);
  const to = new Api('target', options.to, options.toKey, patience, redactor);
  const fromProject = (await requireProject(from, options.fromProject, '--from-project')).id;
  const reading = { from, fromProject, report };

  if (options.dryRun) {
    const text = await planOf(reading, await select(reading, options.pipelines));
    return {
      text: report.failed.length > 0 ? text + report.summary() : text,
      complete: report.failed.length === 0,
    };
  }

  const toProject = (await requireOrMakeProject(to, options.project)).id;
  const way = { from: options.from, from_project: fromProject, to: options.to, to_project: toProject };
  const state = await State.open(options.state, way);
  const { concurrency, verify, sync } = options;
  const move: Move = { ...reading, to, toProject, state, secrets, concurrency, verify, sync };
  report.start();
  try {
    await copyAll(move, await select(move, options.pipelines));
  } finally {
    report.stop();
    state.close();
  }
  return { text: report.summary(), complete: report.failed.length === 0 };
}
