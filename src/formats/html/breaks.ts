import { HARD_BREAK, isBlank, type Run } from '#src/formats/shared/flow/runs.ts';

/** Replaces line breaks by a placeholder, so that a later collapse of white space does not remove them. */
export const protectBreaks = (run: Run): Run => ({ ...run, text: run.text.replaceAll('\n', HARD_BREAK) });

/** Splits runs of text into paragraphs at blank lines. Runs with Markdown stay whole. */
export function splitParagraphs(runs: readonly Run[]): Run[][] {
  const parts: Run[][] = [[]];
  for (const run of runs) {
    const pieces = run.markdown === undefined ? run.text.split(/\n\s*\n\s*/) : [run.text];
    pieces.forEach((text, index) => {
      if (index > 0) parts.push([]);
      parts[parts.length - 1]!.push({ ...run, text });
    });
  }
  return parts;
}

/** Removes blank runs from the start, and empty lines from all runs. */
export function trimBreaks(runs: Run[]): Run[] {
  const first = runs.findIndex((run) => !isBlank([run]));
  const remaining = first < 0 ? [] : runs.slice(first);
  for (const run of remaining) run.text = run.text.replace(/\n{2,}/g, '\n');
  return remaining;
}
