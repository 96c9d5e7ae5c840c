import { findAmounts } from '#src/extraction/values/numbers.ts';
import { type Context, type Candidate as Scored, toSpan } from '../candidates.ts';
import { type Candidate, computeProbabilities, type Features } from '../evidence.ts';
import type { Field } from '../fields.ts';
import { looksLikeLabel } from '../labels.ts';
import type { Line, Segment } from '../layout.ts';
import { FITTED } from '../weights.ts';
import { findSums, type Sums } from './arithmetic.ts';
import { isTotal, type Row } from './tables.ts';

/** Matches a quantity before a name, as in "2 x Tea" or "1 Tea". */
const QUANTITY = /^(\d{1,3})(?: ?[x×X*])? (?=\p{L})/u;
/** Matches the letter or number of a tax rate that tills print after an amount. */
const RATE_CODE = /^[*\p{L}\d]{0,3}$/u;

interface Item {
  name: Segment;
  /** Offset in the text of the segment `name` at which the item's name begins, after the quantity. */
  start: number;
  quantity?: { segment: Segment; text: string };
  amount: { segment: Segment; value: number; start: number; end: number };
  row: number;
}

/**
 * Reads items of a bill without a table header, from lines with a text and an amount. Items are normally
 * printed above the first sum. If only the total is there, the lines below it are read. Rows score higher if
 * their amounts add up to a known sum.
 */
export function readLineItems(fields: Field[], context: Context): Row[] {
  const text = fields.find((field) => field.kind === 'text');
  const money = fields.filter((field) => field.kind === 'money').at(-1);
  if (!text || !money) return [];
  const count = fields.find((field) => field.kind === 'number');
  const sums = findSums(context);
  const isSumConfirmed = (items: Item[]) => {
    const total = Math.round(items.reduce((sum, { amount }) => sum + amount.value, 0) * 100);
    return items.length > 0 && (sums.confirmed.net.has(total) || sums.confirmed.gross.has(total));
  };
  const first = findFirstSumRow(sums);
  const above = listItems(context, first, true);
  const all = listItems(context, Number.POSITIVE_INFINITY, false);
  // Some bills print the total first and its parts below.
  const [only, ...more] = above;
  const parts = all.filter(({ row, amount }) => row >= first && amount.value < (only?.amount.value ?? 0));
  const items = !only ? all : more.length === 0 && parts.length > 1 ? parts : above;
  const adds = isSumConfirmed(items);
  const features: Features = { table: adds ? 1 : 0.8, ...(adds && { arithmetic: 1 }) };
  return items.map(({ name, start, quantity, amount }) => {
    const spans = [toSpan(name, start, name.text.length)];
    const row: Row = new Map([
      [text, [scoreCandidate({ value: name.text.slice(start), spans, features })]],
      [
        money,
        [
          scoreCandidate({
            value: amount.value,
            spans: [toSpan(amount.segment, amount.start, amount.end)],
            features,
          }),
        ],
      ],
    ]);
    if (count && quantity) {
      const spans = [toSpan(quantity.segment, 0, quantity.text.length)];
      row.set(count, [scoreCandidate({ value: Number(quantity.text), spans, features })]);
    }
    return row;
  });
}

/** Returns the row of the first amount that equals the sum of earlier amounts. */
function findFirstSumRow({ amounts, confirmed }: Sums): number {
  const isSum = (value: number) => {
    const at = Math.round(value * 100);
    return Math.max(confirmed.net.get(at) ?? 0, confirmed.gross.get(at) ?? 0) > 0.5;
  };
  return amounts.find(({ found }, index) => index > 0 && isSum(found.value))?.row ?? Number.POSITIVE_INFINITY;
}

function listItems({ pages, locale }: Context, end: number, known: boolean): Item[] {
  const out: Item[] = [];
  let row = 0;
  for (const page of pages) {
    for (const line of page.lines) {
      const item = row < end ? readItem(line, locale.decimalMark, known) : undefined;
      if (item) out.push({ ...item, row });
      row++;
    }
  }
  return out;
}

function readItem(line: Line, mark: '.' | ',', known: boolean): Omit<Item, 'row'> | undefined {
  const last = line.segments.at(-1)!;
  const name = line.segments.find(({ text }) => /\p{L}{3}/u.test(text));
  if (!name || name === last || line.segments.length > 4 || isTotal(line) || looksLikeLabel(name))
    return undefined;
  if (/[:@]/.test(name.text) || name.tokens.length > 8 || (!known && /\d{2}/.test(name.text)))
    return undefined;
  const amount = findAmounts(last.text, mark).find(({ decimals, percent }) => decimals === 2 && !percent);
  if (
    !amount ||
    last.text.slice(0, amount.start).trim() !== '' ||
    !RATE_CODE.test(last.text.slice(amount.end).trim())
  )
    return undefined;
  const count = QUANTITY.exec(name.text);
  const before = line.segments[name.index - 1];
  const quantity = count
    ? { segment: name, text: count[1]! }
    : before && /^\d{1,3}$/.test(before.text) && { segment: before, text: before.text };
  return {
    name,
    start: count?.[0].length ?? 0,
    ...(quantity && { quantity }),
    amount: { segment: last, value: amount.value, start: amount.start, end: amount.end },
  };
}

/**
 * Combines the evidence for a candidate value into a score from 0 to 1, without comparing other candidates of
 * the same field.
 */
function scoreCandidate(candidate: Candidate): Scored {
  return { ...candidate, score: computeProbabilities([candidate], FITTED)[0]! };
}
