import { describeFailure } from '../describe-failure.ts';
import { exitOnSignals } from '../exit-on-signals.ts';
import { DeployFailure } from './failures.ts';
import { createOperatorPrompt } from './operator-prompt.ts';
import type { CommandContext } from './run.ts';

/** Runs a command. Sets the exit code to 1 and prints the reason if it was refused or failed. */
export async function runCommand(command: (surroundings: CommandContext) => Promise<void>): Promise<void> {
  // With these listeners, an interrupted run of wrangler returns, and its temporary files are removed.
  exitOnSignals();
  try {
    await command({
      operator: createOperatorPrompt(),
      print: (text) => void process.stdout.write(`${text}\n`),
    });
  } catch (cause) {
    process.stderr.write(`${describeFailure(cause, [DeployFailure])}\n`);
    process.exitCode = 1;
  }
}
