import { exitOnSignals } from '../exit-on-signals.ts';
import { describeFailure } from '../plain-failure.ts';
import { operator } from './ask.ts';
import { DeployFailure } from './failures.ts';
import type { Surroundings } from './run.ts';

/** Runs a command to its end. 0: all is done. 1: it was refused or failed, and says why. */
export async function endWith(command: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  // With a listener, a run of wrangler that is interrupted returns, and what it left on the disk is removed.
  exitOnSignals();
  try {
    await command({ operator: operator(), tell: (text) => void process.stdout.write(`${text}\n`) });
  } catch (cause) {
    process.stderr.write(`${describeFailure(cause, [DeployFailure])}\n`);
    process.exitCode = 1;
  }
}
