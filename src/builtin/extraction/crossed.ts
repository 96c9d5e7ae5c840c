import { nameWords } from '#src/lib/text/words.ts';
import { type Candidate, type Context, candidateOf, said } from './candidates.ts';
import type { Field } from './fields.ts';
import { overlapX, type Segment } from './layout.ts';
import { readValues } from './read.ts';
import type { Dictionary } from './vocabulary/dictionary.ts';

/** Lines above a cell in which the heading of its column is looked for. */
const REACH = 15;
/** A heading or the name of a row is no longer. */
const MOST_WORDS = 6;

/**
 * Values that are named twice, by their row and by their column: "net_after" is in the row "Net" under "After", "gross
 * pay of the year" in the row "Gross" under "Year to date". Row and column each say something that the other does not.
 */
export function crossed(field: Field, context: Context): Candidate[] {
  if (!['money', 'number', 'percent'].includes(field.kind)) return [];
  const wanted = wordsAsked(field, context.words.asked);
  if (wanted.size < 2) return [];
  const out: Candidate[] = [];
  for (const page of context.pages) {
    for (const { segments } of page.lines) {
      const [row, ...cells] = segments;
      const named = row && meant(row, wanted, context.words.printed);
      if (!row || !named || named.own.size === wanted.size) continue;
      for (const cell of cells) {
        const heading = headingOf(cell);
        const over = heading && meant(heading, wanted, context.words.printed);
        const [found, ...others] = readValues(field, cell.text, context.locale);
        if (!over || !found || others.length > 0) continue;
        const own = new Set([...named.own, ...over.own]);
        if (own.size < wanted.size || named.own.size === own.size || over.own.size === own.size) continue;
        const score = own.size / (own.size + (named.others + over.others) / 2);
        const label = `${row.text}, ${heading.text}`;
        out.push(
          said(candidateOf(cell, found, score, label), { label: score, labelBeside: 1, table: score }),
        );
      }
    }
  }
  return out;
}

/** What the name says that is not the form of the value. */
function wordsAsked({ name }: Field, asked: Dictionary): Set<string> {
  const words = nameWords(name).flatMap((word) => asked(word) ?? [word]);
  return new Set(
    words.filter((word) => word.length > 2 && !['amount', 'total', 'value', 'pay'].includes(word)),
  );
}

function meant({ tokens }: Segment, wanted: ReadonlySet<string>, printed: Dictionary) {
  if (tokens.length === 0 || tokens.length > MOST_WORDS) return undefined;
  const meanings = tokens.map(({ word }) => printed(word) ?? [word]);
  const own = new Set(meanings.flat().filter((word) => wanted.has(word)));
  const others = meanings.filter((each) => each.every((word) => word.length > 2 && !wanted.has(word))).length;
  return own.size > 0 ? { own, others } : undefined;
}

/** A number or an amount is no heading, but a year is, and so is a number behind a word: "Step 2". */
const HEADING = /^(?:\P{Nd}*|\p{L}.*|(?:19|20)\d\d)$/u;
const VALUE = /\d[.,]\d|\d{5}/;

/** The nearest piece above in the same column that is no value, on a line of several such. */
function headingOf(cell: Segment): Segment | undefined {
  const { lines } = cell.page;
  for (let at = cell.line - 1; at >= Math.max(0, cell.line - REACH); at--) {
    const { segments } = lines[at]!;
    const headings = segments.filter(({ text }) => HEADING.test(text) && !VALUE.test(text));
    if (headings.length < 2 || headings.length < segments.length) continue;
    return headings
      .filter((heading) => overlapX(heading.box, cell.box) > 0)
      .sort((left, right) => overlapX(right.box, cell.box) - overlapX(left.box, cell.box))[0];
  }
  return undefined;
}
