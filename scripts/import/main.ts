import { describeFailure } from '../describe-failure.ts';
import { exitOnSignals } from '../exit-on-signals.ts';
import { RequestFailure, UsageError } from './failures.ts';
import { readOptions, USAGE } from './options.ts';
import { Redactor, toPrintable } from './output.ts';
import { runImport } from './run.ts';
import { createTerminalPrompt } from './terminal-prompt.ts';

// Exit codes: 0 if everything was copied, 1 if something is missing and listed in the summary, 2 if the
// import could not start.
const redactor = new Redactor();
exitOnSignals();
try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options) {
    const ask = options.dryRun ? undefined : createTerminalPrompt();
    const outcome = await runImport(options, { redactor, secrets: process.env.IMPORT_SECRETS, ask });
    process.stdout.write(outcome.text);
    process.exitCode = outcome.complete ? 0 : 1;
  } else {
    process.stdout.write(USAGE);
  }
} catch (cause) {
  const expected = cause instanceof UsageError || cause instanceof RequestFailure;
  const message = redactor.clean(describeFailure(cause, [UsageError, RequestFailure]));
  process.stderr.write(`${expected ? toPrintable(message, 600) : message}\n`);
  process.exitCode = 2;
}
