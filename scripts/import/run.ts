import { Api } from './api.ts';
import type { ImportContext } from './context.ts';
import { copyAll } from './copy.ts';
import type { Options } from './options.ts';
import type { Redactor } from './output.ts';
import { describePlan } from './plan.ts';
import { findOrCreateProject, requireProject } from './projects.ts';
import { Report } from './report.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retries.ts';
import { type Prompt, readSecrets, Secrets } from './secrets.ts';
import { select } from './selection.ts';
import { State } from './state.ts';

interface ImportEnvironment {
  redactor: Redactor;
  /** Content of the environment variable IMPORT_SECRETS: secrets in JSON. */
  secrets?: string | undefined;
  ask?: Prompt | undefined;
  retryPolicy?: RetryPolicy;
  progress?: { write(text: string): unknown; isTTY?: boolean };
}

export interface Outcome {
  /** Summary of the import in readable text. */
  text: string;
  /** True if everything that was selected has been copied to the target. */
  complete: boolean;
}

/** Runs an import. Throws `UsageError`, or `RequestFailure` if a server cannot be used at all. */
export async function runImport(options: Options, environment: ImportEnvironment): Promise<Outcome> {
  const { redactor, retryPolicy = DEFAULT_RETRY_POLICY } = environment;
  redactor.add([options.fromKey, options.toKey]);
  const report = new Report(redactor, environment.progress);
  const person = environment.ask;
  const ask: Prompt | undefined = person && ((question) => report.withoutProgress(() => person(question)));
  const secrets = new Secrets(readSecrets(options.secretsFile, environment.secrets), ask, redactor);
  const from = new Api('source', options.from, options.fromKey, retryPolicy, redactor);
  const to = new Api('target', options.to, options.toKey, retryPolicy, redactor);
  const fromProject = (await requireProject(from, options.fromProject, '--from-project')).id;
  const reading = { from, fromProject, report };

  if (options.dryRun) {
    const text = await describePlan(reading, await select(reading, options.pipelines));
    return {
      text: report.failed.length > 0 ? text + report.summary() : text,
      complete: report.failed.length === 0,
    };
  }

  const toProject = (await findOrCreateProject(to, options.project)).id;
  const endpoints = { from: options.from, from_project: fromProject, to: options.to, to_project: toProject };
  const state = await State.open(options.state, endpoints);
  const { concurrency, verify, sync } = options;
  const context: ImportContext = { ...reading, to, toProject, state, secrets, concurrency, verify, sync };
  report.start();
  try {
    await copyAll(context, await select(context, options.pipelines));
  } finally {
    report.stop();
    state.close();
  }
  return { text: report.summary(), complete: report.failed.length === 0 };
}
