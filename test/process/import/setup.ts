import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { Options } from '#scripts/import/options.ts';
import { Redactor } from '#scripts/import/output.ts';
import type { RetryPolicy } from '#scripts/import/retries.ts';
import { type Outcome, runImport } from '#scripts/import/run.ts';
import type { Prompt } from '#scripts/import/secrets.ts';
import { ScriptedServer } from './scripted-server.ts';

/** Retry policy with short waits and timeouts for tests. */
export const BRIEFLY: RetryPolicy = {
  attempts: 4,
  firstWaitMs: 5,
  maxWaitMs: 500,
  silenceMs: 400,
  answerMs: 1500,
};

export const FROM_KEY = 'key-of-the-source';
export const TO_KEY = 'key-of-the-target';

export interface Run extends Outcome {
  /** Output to stderr. */
  progress: string;
}

export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'import-test-'));
  readonly source = new ScriptedServer();
  readonly target = new ScriptedServer();

  get state(): string {
    return join(this.folder, 'state.jsonl');
  }

  async run(
    options: Partial<Options> = {},
    around: { secrets?: string; ask?: Prompt; retryPolicy?: RetryPolicy } = {},
  ): Promise<Run> {
    let progress = '';
    const outcome = await runImport(
      {
        from: this.source.base,
        fromKey: FROM_KEY,
        fromProject: undefined,
        to: this.target.base,
        toKey: TO_KEY,
        project: undefined,
        pipelines: [],
        secretsFile: undefined,
        state: this.state,
        concurrency: 4,
        verify: true,
        sync: true,
        dryRun: false,
        ...options,
      },
      {
        redactor: new Redactor(),
        retryPolicy: BRIEFLY,
        progress: { write: (text) => (progress += text) },
        ...around,
      },
    );
    return { ...outcome, progress };
  }
}

const open: Scene[] = [];

/** Creates two servers and a folder, which are removed after the test. */
export async function scene(): Promise<Scene> {
  const made = new Scene();
  open.push(made);
  await made.source.start();
  await made.target.start();
  return made;
}

afterEach(async () => {
  for (const { source, target, folder } of open.splice(0)) {
    await source.stop();
    await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
