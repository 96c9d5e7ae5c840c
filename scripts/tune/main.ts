import { setTimeout as wait } from 'node:timers/promises';
import { BudgetTooSmall } from '#src/evaluation/halving.ts';
import { EvaluationFailure } from '../evaluate/evaluate.ts';
import { WrongOptions } from '../evaluate/options.ts';
import { request } from '../evaluate/request.ts';
import { ServiceFailure } from '../operator.ts';
import { parseOptions, USAGE } from './options.ts';
import { tune } from './tune.ts';

// Searches for better retrieval settings of a pipeline. docs/how-to/evaluate-retrieval.md describes it.

async function runCommand(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) {
    console.log(USAGE);
    return;
  }
  const { best, isCurrent, comparison } = await tune(options, {
    request,
    wait: (milliseconds) => wait(milliseconds),
    print: (line) => console.error(line),
  });
  if (isCurrent || !comparison) {
    console.log('No candidate was better than the current settings.');
    return;
  }
  console.log(`Best candidate: ${best.name} ${JSON.stringify(best.parameters)}`);
  console.log(`On the held-out half: ${comparison.summary} (run ${comparison.run_id})`);
  if (options.save === undefined) return;
  if (comparison.verdict !== 'better') {
    console.log('No preset was saved, because the improvement could be chance.');
    return;
  }
  await request('POST', `/api/v2/pipelines/${best.pipelineId}/retrieval-presets`, {
    name: options.save,
    parameters: best.parameters,
  });
  console.log(`Saved as the retrieval preset ${options.save}.`);
}

try {
  await runCommand();
} catch (error) {
  const expected = [WrongOptions, BudgetTooSmall, EvaluationFailure, ServiceFailure];
  if (!expected.some((kind) => error instanceof kind)) throw error;
  console.error((error as Error).message);
  if (error instanceof WrongOptions) console.error(`\n${USAGE}`);
  process.exitCode = 2;
}
