import { type Amount, findAmounts } from '#src/extraction/values/numbers.ts';
import { largest } from '#src/lib/extremes.ts';
import { type Context, segmentsOf } from '../candidates.ts';
import type { Segment } from '../layout.ts';
import type { AmountRole } from '../vocabulary/amounts.ts';

/** An amount of money on paper. */
export interface Money {
  segment: Segment;
  found: Amount;
  /** Its line, counted over all pages. */
  row: number;
}

/** What the amounts of a document say of each other: which is whose sum. 0..1 by role. */
export interface Sums {
  amounts: Money[];
  confirmed: Record<AmountRole, Map<number, number>>;
  /** What was paid in all as far as sums tell; 0 when they do not. A smaller sum is a share of it. */
  least: number;
}

const MOST_AMOUNTS = 400;
/** Lines within which the amounts of one sum stand. */
const NEAR = 14;
/** No tax, surcharge or tip that we know is a larger part of what it is added to. */
const LARGEST_PART = 0.4;
const CENT = 0.011;

const same = (left: number, right: number) => Math.abs(left - right) < CENT;
const size = ({ found }: Money) => Math.abs(found.value);
const key = (value: number) => Math.round(value * 100);

/** Reads sums without looking at labels: net + tax = gross, lines that add up, cash − total = change, repeated totals. */
export function readSums(context: Context): Sums {
  const amounts = amountsOf(context);
  const confirmed: Sums['confirmed'] = { gross: new Map(), net: new Map(), tax: new Map(), due: new Map() };
  const note = (role: AmountRole, { found: { value } }: Money, surety: number) =>
    confirmed[role].set(key(value), Math.max(surety, confirmed[role].get(key(value)) ?? 0));

  const ofLines = lineSums(amounts);
  const found = additions(amounts, new Set(ofLines));
  const payments = found.filter(isPayment);
  const sums = found.filter((addition) => !isPayment(addition));
  // A tip is added to what was a sum already: the end of the chain is what was paid.
  const isTip = ({ whole }: Addition) => sums.some((other) => same(size(other.sum), size(whole)));
  const whole = [
    ...payments.map((addition) => addition.whole),
    ...sums.filter((each) => isTip(each) && isInOrder(each)).map(({ sum }) => sum),
    ...repeatedLargest(amounts),
  ];
  for (const money of whole) note('gross', money, 0.7);
  const least = largest(whole.map(size), 0);
  for (const addition of sums.filter((addition) => !isTip(addition))) {
    // What is less than the whole sum is one rate's share of it, or comes before a tip.
    const surety = size(addition.sum) < least - CENT ? 0.4 : 0.8;
    note('net', addition.whole, surety);
    note('tax', addition.part, surety);
    note('gross', addition.sum, surety);
  }
  for (const sum of ofLines) note(confirmed.net.has(key(sum.found.value)) ? 'net' : 'gross', sum, 0.7);
  return { amounts, confirmed, least: least - CENT };
}

const isInOrder = ({ whole, part, sum }: Addition) => whole.row < part.row && part.row < sum.row;

/** The largest amount, when it is printed more than once: on the line of the total and on that of the payment. */
function repeatedLargest(amounts: Money[]): Money[] {
  const most = largest(amounts.map(size), 0);
  const places = amounts.filter((money) => same(size(money), most));
  return new Set(places.map(({ row }) => row)).size > 1 ? places : [];
}

function amountsOf({ pages, locale }: Context): Money[] {
  const out: Money[] = [];
  const rows = new Map(
    pages.map((page, at) => [page, pages.slice(0, at).reduce((sum, { lines }) => sum + lines.length, 0)]),
  );
  for (const segment of segmentsOf(pages)) {
    for (const found of findAmounts(segment.text, locale.decimalMark)) {
      if (found.percent || (found.decimals !== 2 && !found.currency) || found.value === 0) continue;
      out.push({ segment, found, row: rows.get(segment.page)! + segment.line });
      if (out.length >= MOST_AMOUNTS) return out;
    }
  }
  return out;
}

interface Addition {
  whole: Money;
  /** What is added to it: the smaller one. */
  part: Money;
  sum: Money;
}

/** Amounts near each other of which one is the sum of two others. */
function additions(amounts: Money[], ofLines: ReadonlySet<Money>): Addition[] {
  const out: Addition[] = [];
  for (const sum of amounts) {
    const near = amounts.filter((other) => other !== sum && Math.abs(other.row - sum.row) <= NEAR);
    const bySize = new Map(near.map((other) => [key(size(other)), other]));
    for (const whole of near) {
      const rest = size(sum) - size(whole);
      const part = bySize.get(key(rest));
      if (!part || part === whole) continue;
      const addition = { whole, part, sum };
      // Change may be larger than what was bought, where that is known to be the sum of its lines.
      if (rest <= size(whole) * LARGEST_PART || (ofLines.has(whole) && isPayment(addition)))
        out.push(addition);
    }
  }
  return out;
}

/** Total, then what was given, then the change: no tax stands behind the sum that holds it, unless with its rate. */
function isPayment({ whole, part, sum }: Addition): boolean {
  const { page, line } = part.segment;
  return (
    whole.row < sum.row &&
    sum.row < part.row &&
    !page.lines[line]!.segments.some(({ text }) => text.includes('%'))
  );
}

/** Amounts at the ends of lines that follow each other, with their sum right below them. */
function lineSums(amounts: Money[]): Money[] {
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
      if (at - back >= 2 && same(total, sum.found.value)) out.push(sum);
    }
  }
  return out;
}
