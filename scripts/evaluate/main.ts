import { setTimeout as wait } from 'node:timers/promises';
import { ServiceFailure } from '../operator.ts';
import { EvaluationFailure, evaluate, findMissedBounds, formatTable } from './evaluate.ts';
import { parseOptions, USAGE, WrongOptions } from './options.ts';
import { request } from './request.ts';

// Starts an evaluation run, waits for its end and checks its means. docs/how-to/evaluate-retrieval.md describes it.

/** Returns 0 if all bounds are met and 1 if one is missed. */
async function runCommand(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  let shown = -1;
  const run = await evaluate(
    options,
    request,
    ({ id, status, summary, question_count: total }) => {
      const done = summary.completed_count + summary.failed_count;
      if (done !== shown) console.error(`run ${id}: ${status}, ${done} of ${total} questions`);
      shown = done;
    },
    (milliseconds) => wait(milliseconds),
  );
  const { completed_count: completed, failed_count: failed, scored_count: scored } = run.summary;
  console.log(`${run.name}: ${completed} questions evaluated, ${scored} of them scored, ${failed} failed`);
  for (const line of formatTable(run, options.bounds)) console.log(line);
  return findMissedBounds(run, options.bounds).length > 0 ? 1 : 0;
}

try {
  process.exitCode = await runCommand();
} catch (error) {
  const isExpected =
    error instanceof WrongOptions || error instanceof EvaluationFailure || error instanceof ServiceFailure;
  if (!isExpected) throw error;
  console.error(error.message);
  if (error instanceof WrongOptions) console.error(`\n${USAGE}`);
  process.exitCode = 2;
}
