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
  /** Amounts in cents that the customer handed over, of which a part was given back as change. */
  tendered: ReadonlySet<number>;
  /** Amounts in cents that the bill rounds to its total. */
  unrounded: ReadonlySet<number>;
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
  const found = findAdditions(amounts);
  // The cash is the largest amount of its sum, so smaller amounts in the same order are no cash.
  const ordered = found.flatMap((addition) => findPayment(addition) ?? []);
  const most = largest(
    ordered.map(({ cash }) => getAbsolute(cash)),
    0,
  );
  const payments = ordered.filter(({ cash }) => isSameAmount(getAbsolute(cash), most));
  const sums = found.filter((addition) => !findPayment(addition));
  const tendered = new Set(payments.map(({ cash }) => toCents(getAbsolute(cash))));
  // A tip is added to an amount that is already a sum. The last sum in such a chain is the amount paid.
  const isSum = (money: Money) =>
    sums.some((other) => isSameAmount(getAbsolute(other.sum), getAbsolute(money)));
  const isTip = ({ whole, part, sum }: Addition) =>
    isSum(whole) || (isSum(part) && whole.row < sum.row && part.row < sum.row);
  const roundings = findRoundings(amounts);
  const whole = [
    ...payments.map(({ price }) => price),
    ...sums.filter((each) => isTip(each) && isInOrder(each)).map(({ sum }) => sum),
    ...roundings.map(({ total }) => total),
    ...(payments.length > 0 ? [] : findRepeatedLargest(amounts)),
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
  const unrounded = new Set(roundings.map(({ before }) => toCents(before)));
  return { amounts, confirmed, minTotal: minTotal - CENT, tendered, unrounded };
}

const isInOrder = ({ whole, part, sum }: Addition) =>
  Math.max(whole.row, part.row) < sum.row && whole.row !== part.row;

/** Matches a line that rounds a total to the smallest coin. */
const ROUNDING = /round|rund|arrond|redond|arrotond|afrond/i;
/** Largest amount, in the currency of the bill, by which a total is rounded. */
const MAX_ROUNDING = 0.05;

/** Maximum number of amounts, such as net, service and tax, that a bill adds up before it rounds the sum. */
const MAX_ADDENDS = 5;

/** Returns the text of an amount's line, or of the line above as well if the amount has a line of its own. */
function getLabelText({ segment: { page, line } }: Money): string {
  const { segments } = page.lines[line]!;
  const above = segments.length === 1 ? (page.lines[line - 1]?.segments ?? []) : [];
  return [...above, ...segments].map(({ text }) => text).join(' ');
}

interface RoundedTotal {
  total: Money;
  /** Amount before it was rounded. */
  before: number;
}

/**
 * Returns the totals that follow the amount by which they are rounded. The amount before rounding is printed above,
 * or it is the sum of the amounts above.
 */
function findRoundings(amounts: Money[]): RoundedTotal[] {
  return amounts.flatMap((rounding, at) => {
    if (getAbsolute(rounding) > MAX_ROUNDING || !ROUNDING.test(getLabelText(rounding))) return [];
    const above = amounts.slice(Math.max(0, at - MAX_LINE_DISTANCE), at).reverse();
    const sums = above
      .slice(0, MAX_ADDENDS)
      .map((_, index) => above.slice(0, index + 1).reduce((sum, { found }) => sum + found.value, 0));
    const possible = [...above.map(getAbsolute), ...sums];
    return amounts
      .slice(at + 1, at + 1 + MAX_LINE_DISTANCE)
      .flatMap((total) => {
        const before = possible.find((value) =>
          isSameAmount(getAbsolute(total), value + rounding.found.value),
        );
        return before === undefined ? [] : [{ total, before }];
      })
      .slice(0, 1);
  });
}

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
function findAdditions(amounts: Money[]): Addition[] {
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
      // Change may be larger than the purchase.
      if (rest <= getAbsolute(whole) * MAX_PART_SHARE || findPayment(addition)) out.push(addition);
    }
  }
  return out;
}

interface Payment {
  price: Money;
  cash: Money;
}

/** Maximum number of lines between the cash that a customer gives and the change. */
const MAX_CHANGE_DISTANCE = 4;

/** Matches the line of a tax by its rate or by the usual names of the tax. */
const TAX =
  /%|(?<!\p{L})(?:tax|vat|gst|hst|sst|mwst|ust|mehrwertsteuer|umsatzsteuer|tva|iva|btw|moms|pdv|kdv|dph)(?!\p{L})/iu;

/**
 * Returns the price and the cash if three amounts are printed in the order price, cash, change. Tax lines could
 * look similar, but they also print the rate or the name of the tax.
 */
function findPayment({ whole, part, sum }: Addition): Payment | undefined {
  const [price, change] = whole.row < part.row ? [whole, part] : [part, whole];
  const { page, line } = change.segment;
  const isOrdered =
    price.row < sum.row && sum.row < change.row && change.row - sum.row <= MAX_CHANGE_DISTANCE;
  const isTax = page.lines[line]!.segments.some(({ text }) => TAX.test(text));
  return isOrdered && !isTax ? { price, cash: sum } : undefined;
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
