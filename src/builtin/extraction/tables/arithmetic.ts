import { type Amount, findAmounts } from '#src/extraction/values/numbers.ts';
import { largest } from '#src/lib/extremes.ts';
import { type Context, listSegments } from '../candidates.ts';
import type { Segment } from '../layout.ts';
import type { AmountRole } from '../vocabulary/amounts.ts';

export interface Money {
  segment: Segment;
  found: Amount;
  /** Line number of the amount, counted over all pages. */
  row: number;
}

/**
 * Arithmetic relations among the amounts of a document. `confirmed` contains amounts in cents by role, such
 * as net or tax, each with a certainty from 0 to 1.
 */
export interface Sums {
  amounts: Money[];
  confirmed: Record<AmountRole, Map<number, number>>;
  /**
   * Lower bound for the bill's total, because smaller sums are only parts of the total. A value of 0 or less
   * means that no sum reveals the total.
   */
  minTotal: number;
}

const MAX_AMOUNTS = 400;
/** Maximum number of lines between the amounts of one sum. */
const MAX_LINE_DISTANCE = 14;
/** Maximum share of a tax, surcharge or tip in the amount to which it is added. */
const MAX_PART_SHARE = 0.4;
const CENT = 0.011;

const isSameAmount = (left: number, right: number) => Math.abs(left - right) < CENT;
const getAbsolute = ({ found }: Money) => Math.abs(found.value);
const toCents = (value: number) => Math.round(value * 100);

/**
 * Finds relations among a document's amounts without using labels: net + tax = gross, totals of lines, cash −
 * total = change, and repeated totals.
 */
export function findSums(context: Context): Sums {
  const amounts = listAmounts(context);
  const confirmed: Sums['confirmed'] = { gross: new Map(), net: new Map(), tax: new Map(), due: new Map() };
  const note = (role: AmountRole, { found: { value } }: Money, certainty: number) =>
    confirmed[role].set(toCents(value), Math.max(certainty, confirmed[role].get(toCents(value)) ?? 0));

  const lineTotals = findLineSums(amounts);
  const found = findAdditions(amounts, new Set(lineTotals));
  const payments = found.filter(isPayment);
  const sums = found.filter((addition) => !isPayment(addition));
  // A tip is added to an amount that is already a sum. The last sum in such a chain is the amount paid.
  const isTip = ({ whole }: Addition) =>
    sums.some((other) => isSameAmount(getAbsolute(other.sum), getAbsolute(whole)));
  const whole = [
    ...payments.map((addition) => addition.whole),
    ...sums.filter((each) => isTip(each) && isInOrder(each)).map(({ sum }) => sum),
    ...findRepeatedLargest(amounts),
  ];
  for (const money of whole) note('gross', money, 0.7);
  const minTotal = largest(whole.map(getAbsolute), 0);
  for (const addition of sums.filter((addition) => !isTip(addition))) {
    // A sum below the bill's total covers only one tax rate or excludes the tip, so it gets a lower
    // certainty.
    const certainty = getAbsolute(addition.sum) < minTotal - CENT ? 0.4 : 0.8;
    note('net', addition.whole, certainty);
    note('tax', addition.part, certainty);
    note('gross', addition.sum, certainty);
  }
  for (const sum of lineTotals) note(confirmed.net.has(toCents(sum.found.value)) ? 'net' : 'gross', sum, 0.7);
  return { amounts, confirmed, minTotal: minTotal - CENT };
}

const isInOrder = ({ whole, part, sum }: Addition) => whole.row < part.row && part.row < sum.row;

/**
 * Returns all occurrences of the largest amount if several lines print it, such as the total and payment
 * lines. Returns an empty list otherwise.
 */
function findRepeatedLargest(amounts: Money[]): Money[] {
  const most = largest(amounts.map(getAbsolute), 0);
  const places = amounts.filter((money) => isSameAmount(getAbsolute(money), most));
  return new Set(places.map(({ row }) => row)).size > 1 ? places : [];
}

function listAmounts({ pages, locale }: Context): Money[] {
  const out: Money[] = [];
  const rows = new Map(
    pages.map((page, at) => [page, pages.slice(0, at).reduce((sum, { lines }) => sum + lines.length, 0)]),
  );
  for (const segment of listSegments(pages)) {
    for (const found of findAmounts(segment.text, locale.decimalMark)) {
      if (found.percent || (found.decimals !== 2 && !found.currency) || found.value === 0) continue;
      out.push({ segment, found, row: rows.get(segment.page)! + segment.line });
      if (out.length >= MAX_AMOUNTS) return out;
    }
  }
  return out;
}

interface Addition {
  whole: Money;
  /** The smaller addend. */
  part: Money;
  sum: Money;
}

/** Finds amounts near each other where one is the sum of two others. */
function findAdditions(amounts: Money[], ofLines: ReadonlySet<Money>): Addition[] {
  const out: Addition[] = [];
  for (const sum of amounts) {
    const near = amounts.filter(
      (other) => other !== sum && Math.abs(other.row - sum.row) <= MAX_LINE_DISTANCE,
    );
    const bySize = new Map(near.map((other) => [toCents(getAbsolute(other)), other]));
    for (const whole of near) {
      const rest = getAbsolute(sum) - getAbsolute(whole);
      const part = bySize.get(toCents(rest));
      if (!part || part === whole) continue;
      const addition = { whole, part, sum };
      // Change may be larger than the purchase. In this case the purchase must be confirmed as the sum of its
      // lines.
      if (rest <= getAbsolute(whole) * MAX_PART_SHARE || (ofLines.has(whole) && isPayment(addition)))
        out.push(addition);
    }
  }
  return out;
}

/**
 * Returns whether three amounts are printed in the order total, cash given, change. Tax lines could look
 * similar, but they also print a tax rate.
 */
function isPayment({ whole, part, sum }: Addition): boolean {
  const { page, line } = part.segment;
  return (
    whole.row < sum.row &&
    sum.row < part.row &&
    !page.lines[line]!.segments.some(({ text }) => text.includes('%'))
  );
}

/** Finds amounts at the ends of consecutive lines that are followed by their sum. */
function findLineSums(amounts: Money[]): Money[] {
  const ends = amounts.filter(
    ({ segment }) => segment.index === segment.page.lines[segment.line]!.segments.length - 1,
  );
  const out: Money[] = [];
  for (const [at, sum] of ends.entries()) {
    let total = 0;
    for (let back = at - 1; back >= Math.max(0, at - 60); back--) {
      if (ends[back + 1]!.row - ends[back]!.row > 4) break;
      total += ends[back]!.found.value;
      if (total > sum.found.value + CENT) break;
      if (at - back >= 2 && isSameAmount(total, sum.found.value)) out.push(sum);
    }
  }
  return out;
}
