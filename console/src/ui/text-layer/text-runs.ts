/** Word of a page with its bounding box in points from the upper left corner of the page. */
export interface PageWord {
  text: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Neighbouring words of a line, and the blank or line break that follows them. */
export interface TextRun extends PageWord {
  after: ' ' | '\n';
}

/** Maximum number of runs and characters of one page. The text of a larger page ends there. */
export const MAX_RUNS = 3_000;
export const MAX_CHARACTERS = 200_000;
/** Largest gap within a run and smallest gap that is a blank, as shares of the height of the words. */
const MAX_GAP = 1;
const MIN_BLANK = 0.08;

/**
 * Joins the words of a page, in reading order, into runs. A run ends with its line, and before a wide gap such as the
 * one between two columns. Words of right-to-left scripts follow each other to the left.
 */
export function buildTextRuns(words: readonly PageWord[]): TextRun[] {
  const runs: TextRun[] = [];
  let left = MAX_CHARACTERS;
  for (const word of words) {
    if (word.text === '' || !(word.w > 0 && word.h > 0)) continue;
    left -= word.text.length;
    if (left < 0) break;
    const run = runs.at(-1);
    if (run && isSameLine(run, word)) {
      const gap = measureGap(run, word) / Math.max(run.h, word.h);
      if (gap >= -0.5 && gap <= MAX_GAP) {
        extend(run, word, gap >= MIN_BLANK);
        continue;
      }
      run.after = ' ';
    }
    if (runs.length === MAX_RUNS) break;
    const { text, x, y, w, h } = word;
    runs.push({ text, x, y, w, h, after: '\n' });
  }
  return runs;
}

const isSameLine = (a: PageWord, b: PageWord) =>
  Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y) > Math.min(a.h, b.h) / 2;

/** Returns the distance between two boxes of a line. It is negative if they overlap. */
const measureGap = (a: PageWord, b: PageWord) => Math.max(b.x - (a.x + a.w), a.x - (b.x + b.w));

function extend(run: TextRun, word: PageWord, hasBlank: boolean): void {
  const right = Math.max(run.x + run.w, word.x + word.w);
  const bottom = Math.max(run.y + run.h, word.y + word.h);
  run.text += (hasBlank ? ' ' : '') + word.text;
  run.x = Math.min(run.x, word.x);
  run.y = Math.min(run.y, word.y);
  run.w = right - run.x;
  run.h = bottom - run.y;
}
