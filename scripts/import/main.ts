import { exitOnSignals } from '../exit-on-signals.ts';
import { describeFailure } from '../plain-failure.ts';
import { terminal } from './ask.ts';
import { RequestFailure, WrongUse } from './failures.ts';
import { readOptions, USAGE } from './options.ts';
import { runImport } from './run.ts';
import { printable, Redactor } from './tell.ts';

// 0: all is there. 1: something is not, and the summary names it. 2: nothing could be begun.
const redactor = new Redactor();
exitOnSignals();
try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options) {
    const ask = options.dryRun ? undefined : terminal();
    const outcome = await runImport(options, { redactor, secrets: process.env.IMPORT_SECRETS, ask });
    process.stdout.write(outcome.text);
    process.exitCode = outcome.complete ? 0 : 1;
  } else {
    process.stdout.write(USAGE);
  }
} catch (cause) {
  const expected = cause instanceof WrongUse || cause instanceof RequestFailure;
  const message = redactor.clean(describeFailure(cause, [WrongUse, RequestFailure]));
  process.stderr.write(`${expected ? printable(message, 600) : message}\n`);
  process.exitCode = 2;
}
