import { type Candidate, type Context, candidateOf, labelled, merge } from '../candidates.ts';
import { describeField } from '../fields.ts';
import type { AmountRole } from '../vocabulary/amounts.ts';
import { readSums, type Sums } from './arithmetic.ts';

const SAMPLE: Record<AmountRole, string> = {
  gross: 'grand_total',
  net: 'net_total',
  tax: 'tax_total',
  due: 'amount_due',
};
const MOST = 12;

/** What arithmetic adds to an amount that a label names, and what an amount without one has by it. */
const CONFIRMS = 0.35;
const ALONE = 0.55;
/**
 * The totals of a bill, read together: of all amounts those win whose labels fit and that add up, net + tax = gross.
 */
export function readTotals(context: Context): Partial<Record<AmountRole, Candidate>> {
  const sums = readSums(context);
  const found = Object.fromEntries(
    (Object.keys(SAMPLE) as AmountRole[]).map((role) => {
      const field = describeField({}, SAMPLE[role], { type: 'number' });
      const named = merge(labelled(field, context)).slice(0, MOST);
      return [role, byArithmetic(role, named, sums)];
    }),
  ) as Record<AmountRole, Candidate[]>;

  const whole = found.gross.filter((candidate) => !isShare(candidate, sums));
  let best: { score: number; picked: Partial<Record<AmountRole, Candidate>> } = { score: 0, picked: {} };
  for (const gross of [undefined, ...(whole.length > 0 ? whole : found.gross)]) {
    for (const net of [undefined, ...found.net]) {
      for (const tax of [undefined, ...found.tax]) {
        const score = judge(gross, net, tax);
        if (score > best.score) best = { score, picked: pick(gross, net, tax) };
      }
    }
  }
  // Shares of net and tax that fit no total take nothing from the one that is found.
  const [first] = whole;
  const picked = strengthen(best.picked.gross || !first ? best.picked : { ...best.picked, gross: first });
  const [due] = found.due;
  return due ? { ...picked, due } : picked;
}

function byArithmetic(role: AmountRole, named: Candidate[], { amounts, confirmed }: Sums): Candidate[] {
  const suretyOf = (value: unknown) => confirmed[role].get(Math.round(Number(value) * 100)) ?? 0;
  const values = new Set(named.map(({ value }) => value));
  const others = new Map(
    amounts
      .filter(({ found }) => !values.has(found.value) && suretyOf(found.value) > 0.5)
      .map(({ segment, found }) => [found.value, candidateOf(segment, found, ALONE * suretyOf(found.value))]),
  );
  return [
    ...named.map((candidate) => {
      return { ...candidate, score: candidate.score + CONFIRMS * suretyOf(candidate.value) };
    }),
    ...[...others.values()].sort((left, right) => right.score - left.score).slice(0, MOST),
  ];
}

const isShare = (gross: Candidate, { least }: Sums) => Math.abs(amount(gross) ?? least) < least;

function amount(candidate: Candidate | undefined): number | undefined {
  return typeof candidate?.value === 'number' ? candidate.value : undefined;
}

function judge(gross?: Candidate, net?: Candidate, tax?: Candidate): number {
  const [total, base, extra] = [amount(gross), amount(net), amount(tax)];
  let score = (gross?.score ?? 0) + (net?.score ?? 0) + (tax?.score ?? 0);
  // Credit notes print them with a minus.
  const [whole, rest, part] = [total, base, extra].map((value) => Math.abs(value ?? 0));
  if (total !== undefined && base !== undefined && rest! > whole! + 0.005) score -= 0.8;
  if (total !== undefined && extra !== undefined && part! > 0 && part! >= whole!) score -= 0.8;
  if (total !== undefined && base !== undefined && extra !== undefined) {
    const adds = Math.abs(base + extra - total) < 0.011;
    // 0 = 0 + 0 adds up as well and says nothing.
    score += adds ? (total === 0 ? 0 : extra === 0 ? 0.5 : 0.9) : -0.5;
  }
  return score;
}

function pick(gross?: Candidate, net?: Candidate, tax?: Candidate): Partial<Record<AmountRole, Candidate>> {
  return { ...(gross && { gross }), ...(net && { net }), ...(tax && { tax }) };
}

/** Amounts that confirm each other are surer than their labels alone. */
function strengthen(picked: Partial<Record<AmountRole, Candidate>>): Partial<Record<AmountRole, Candidate>> {
  const [total, base, extra] = [amount(picked.gross), amount(picked.net), amount(picked.tax)];
  if (total === undefined || base === undefined || extra === undefined) return picked;
  if (Math.abs(base + extra - total) >= 0.011) return picked;
  return Object.fromEntries(
    Object.entries(picked).map(([role, candidate]) => [
      role,
      { ...candidate, score: Math.min(1, candidate.score + 0.25) },
    ]),
  );
}
