import type { Box } from '#src/documents/document.ts';
import { splitWords } from '#src/lib/text/words.ts';
import type { Field } from '../fields.ts';
import { getHorizontalOverlap, type LayoutPage, type Segment } from '../layout.ts';
import { LINE_CONCEPTS } from '../vocabulary/line-concepts.ts';

export interface Column {
  box: Box;
  texts: string[];
  field?: Field;
  score: number;
}

export interface Header {
  columns: Column[];
  /** Index of the first line below the table header. */
  next: number;
  score: number;
}

/**
 * Headings that could name two kinds of column. For example, "item no" may be a line number or an article
 * number. Unambiguous headings are preferred.
 */
const AMBIGUOUS = new Set(
  LINE_CONCEPTS.flatMap(({ labels }) => labels).filter((label, index, all) => all.indexOf(label) !== index),
);
/**
 * Finds a table header of up to five lines that starts at the given line. Returns undefined if its headings
 * match too few schema fields.
 */
export function findHeader(page: LayoutPage, from: number, fields: Field[]): Header | undefined {
  let best: Header | undefined;
  const needed = Math.min(2, fields.length);
  const columns: Column[] = [];
  for (let size = 1; size <= 5 && from + size <= page.lines.length; size++) {
    const line = page.lines[from + size - 1]!;
    const previous = page.lines[from + size - 2];
    if (size > 1 && previous && line.y - (previous.y + previous.h) > previous.h) break;
    if (line.segments.some((segment) => !isHeading(segment))) break;
    for (const segment of line.segments) addHeading(columns, segment);
    const header = assignFields(
      columns.map((column) => ({ ...column, texts: [...column.texts] })),
      fields,
    );
    const matched = header.filter((column) => column.field);
    if (matched.length < needed || columns.length < 2) continue;
    const score = matched.reduce((sum, column) => sum + column.score, 0) - 0.02 * size;
    // A further line joins the header only if its words improve the match with the schema fields.
    if (!best || score > best.score) best = { columns: header, next: from + size, score };
  }
  if (best && best.score / needed < 0.45) return undefined;
  return best;
}

function isHeading(segment: Segment): boolean {
  return (
    segment.text.length <= 45 && !/\d[.,]\d{2}(?!\d)|\d{3}/.test(segment.text) && !/:\s*\S/.test(segment.text)
  );
}

function addHeading(columns: Column[], segment: Segment): void {
  const known = columns.find((column) => getHorizontalOverlap(column.box, segment.box) > 0.5);
  if (!known) {
    columns.push({ box: segment.box, texts: [segment.text], score: 0 });
    return;
  }
  known.texts.push(segment.text);
  const x = Math.min(known.box.x, segment.box.x);
  const right = Math.max(known.box.x + known.box.w, segment.box.x + segment.box.w);
  known.box = { ...known.box, x, w: right - x };
}

/**
 * Assigns each schema field to the column with the best matching heading. The best matches are assigned
 * first.
 */
function assignFields(columns: Column[], fields: Field[]): Column[] {
  const pairs = columns.flatMap((column) =>
    fields.map((field) => ({ column, field, score: scoreHeading(column.texts, field) })),
  );
  pairs.sort((left, right) => right.score - left.score);
  const taken = new Set<Field>();
  for (const { column, field, score } of pairs) {
    if (score < 0.3 || column.field || taken.has(field)) continue;
    column.field = field;
    column.score = score;
    taken.add(field);
  }
  return columns.sort((left, right) => left.box.x - right.box.x);
}

function scoreHeading(texts: string[], field: Field): number {
  let best = 0;
  for (const text of [texts.join(' '), texts.join(' ').replace(/-\s+/g, ''), ...texts]) {
    const words = splitWords(text);
    for (const phrase of field.phrases) {
      const at = words.findIndex((_, index) =>
        phrase.words.every((word, offset) => words[index + offset] === word),
      );
      if (at < 0) continue;
      const score = (phrase.weight * phrase.words.length) / words.length ** 0.8 / phrase.words.length ** 0.2;
      best = Math.max(best, AMBIGUOUS.has(phrase.words.join(' ')) ? score * 0.85 : score);
    }
  }
  return Math.min(1, best);
}
