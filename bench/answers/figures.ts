import type { Figure } from '#bench/builtin/figures.ts';
import { withRetries } from '#bench/retrieval/client.ts';
import { Service } from '#test/process/service.ts';
import { buildCases, type Case, SPAN_SETS } from './cases.ts';
import { leaveOneOut } from './leave-one-out.ts';
import { type Measures, measure, takeFirstSentence } from './measures.ts';
import { REFUSAL_SETS } from './refusals.ts';

const QUESTIONS = 120;

/**
 * Returns the figures of the built-in answerer, each measured with weights that were fitted without the set. The
 * baseline answers with the first sentence of the first passage and refuses nothing.
 */
export async function answerFigures(): Promise<Figure[]> {
  const service = new Service();
  await service.start();
  const cases: Case[] = [];
  try {
    const call = withRetries(service.call.bind(service));
    for (const set of [...REFUSAL_SETS, ...SPAN_SETS])
      cases.push(...(await buildCases(call, set, QUESTIONS)));
  } finally {
    await service.end();
  }
  const figures: Figure[] = [];
  const { measures } = await leaveOneOut(cases);
  for (const [set, measured] of measures) {
    const own = cases.filter((each) => each.set === set);
    figures.push(...toFigures(set, measured, await measure(own, takeFirstSentence)));
  }
  return figures;
}

function toFigures(set: string, measured: Measures, baseline: Measures): Figure[] {
  const task = 'answers';
  return [
    { task, set, metric: 'said', value: measured.correct, baseline: baseline.correct },
    {
      task,
      set,
      metric: 'false refusals',
      value: measured.falselyRefused,
      baseline: baseline.falselyRefused,
      lowerIsBetter: true,
    },
    { task, set, metric: 'citations right', value: measured.cited, baseline: baseline.cited },
    ...[...measured.refused].map(
      ([kind, value]): Figure => ({
        task,
        set,
        metric: `refused, ${kind}`,
        value,
        baseline: baseline.refused.get(kind) ?? 0,
      }),
    ),
  ];
}
