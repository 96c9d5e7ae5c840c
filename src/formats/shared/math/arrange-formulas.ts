import type { Run } from '../flow/runs.ts';
import { toFormulaRun } from './formula.ts';
import { parseEquationNumber } from './numbers.ts';

const isBlankText = (run: Run) => run.markdown === undefined && run.text.trim() === '';

function convertRun(run: Run, isDisplay: boolean, tag?: string): Run {
  if (!run.formula) return run;
  const { latex } = run.formula;
  const isTagged = tag === undefined || latex.includes('\\tag{');
  return {
    ...run,
    ...toFormulaRun({
      ...{ latex: isTagged ? latex : `${latex} \\tag{${tag}}`, isDisplay },
      plain: isTagged ? run.text : `${run.text} (${tag})`,
    }),
  };
}

const endsLine = (text: string) => text.slice(text.trimEnd().length).includes('\n');
const startsLine = (text: string) => text.slice(0, text.length - text.trimStart().length).includes('\n');

/** Puts lines of their own around displayed formulas, and a space between neighbouring formulas. */
function separate(runs: readonly Run[]): Run[] {
  const out: Run[] = [];
  for (const run of runs) {
    const previous = out.at(-1);
    const isDisplay = run.formula?.isDisplay || previous?.formula?.isDisplay;
    if (previous && isDisplay && !startsLine(run.text) && !endsLine(previous.text)) out.push({ text: '\n' });
    else if (previous?.formula && run.formula) out.push({ text: ' ' });
    out.push(run);
  }
  return out;
}

/**
 * Prepares the formulas among the runs of a block. Formulas without other text become displayed formulas,
 * and an equation number beside a formula becomes its tag. If `canDisplay` is false, as in table cells, all
 * formulas stay in their line.
 */
export function arrangeFormulas(runs: Run[], canDisplay: boolean): Run[] {
  if (!runs.some((run) => run.formula !== undefined)) return runs;
  if (!canDisplay) return separate(runs.map((run) => convertRun(run, false)));
  const filled = runs.filter((run) => !isBlankText(run));
  const formulas = filled.filter((run) => run.formula !== undefined);
  const others = filled.filter((run) => run.formula === undefined);
  if (others.length === 0) return separate(formulas.map((run) => convertRun(run, true)));
  const [formula] = formulas;
  const isPlain = others.every((run) => run.markdown === undefined);
  const tag = isPlain ? parseEquationNumber(others.map((run) => run.text).join('')) : undefined;
  if (formula && formulas.length === 1 && tag !== undefined) return [convertRun(formula, true, tag)];
  return separate(runs);
}
