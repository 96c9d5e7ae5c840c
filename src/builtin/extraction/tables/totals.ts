import {
  type Candidate,
  type Context,
  mergeCandidates,
  readLabelledValues,
  toCandidate,
} from '../candidates.ts';
import { describeField } from '../fields.ts';
import type { AmountRole } from '../vocabulary/amounts.ts';
import type { Sums } from './arithmetic.ts';

const FIELD_NAMES: Record<AmountRole, string> = {
  gross: 'grand_total',
  net: 'net_total',
  tax: 'tax_total',
  due: 'amount_due',
};
const MAX_CANDIDATES = 12;

/**
 * Score bonus for a labelled amount that a sum confirms. `UNLABELLED_SCORE` is the score of an unlabelled
 * amount that a sum confirms.
 */
const CONFIRMATION_SCORE = 0.35;
const UNLABELLED_SCORE = 0.55;
/**
 * Reads the net, tax, gross and due amounts of a bill together. Prefers amounts with matching labels that
 * satisfy net + tax = gross.
 */
export function readTotals(context: Context, sums: Sums): Partial<Record<AmountRole, Candidate>> {
  const found = Object.fromEntries(
    (Object.keys(FIELD_NAMES) as AmountRole[]).map((role) => {
      const field = describeField({}, FIELD_NAMES[role], { type: 'number' });
      const named = mergeCandidates(readLabelledValues(field, context)).slice(0, MAX_CANDIDATES);
      return [role, addConfirmedAmounts(role, named, sums)];
    }),
  ) as Record<AmountRole, Candidate[]>;

  const whole = found.gross.filter((candidate) => !isPartOfTotal(candidate, sums));
  let best: { score: number; picked: Partial<Record<AmountRole, Candidate>> } = { score: 0, picked: {} };
  for (const gross of [undefined, ...(whole.length > 0 ? whole : found.gross)]) {
    for (const net of [undefined, ...found.net]) {
      for (const tax of [undefined, ...found.tax]) {
        const score = scoreTotals(gross, net, tax);
        if (score > best.score) best = { score, picked: pickPresent(gross, net, tax) };
      }
    }
  }
  // If the best combination lacks a gross total, the best single candidate for the gross total is added.
  const [first] = whole;
  const picked = raiseConsistentScores(
    best.picked.gross || !first ? best.picked : { ...best.picked, gross: first },
  );
  const [due] = found.due;
  return due ? { ...picked, due } : picked;
}

function addConfirmedAmounts(
  role: AmountRole,
  named: Candidate[],
  { amounts, confirmed }: Sums,
): Candidate[] {
  const getCertainty = (value: unknown) => confirmed[role].get(Math.round(Number(value) * 100)) ?? 0;
  const values = new Set(named.map(({ value }) => value));
  const others = new Map(
    amounts
      .filter(({ found }) => !values.has(found.value) && getCertainty(found.value) > 0.5)
      .map(({ segment, found }) => [
        found.value,
        toCandidate(segment, found, UNLABELLED_SCORE * getCertainty(found.value)),
      ]),
  );
  return [
    ...named.map((candidate) => {
      return { ...candidate, score: candidate.score + CONFIRMATION_SCORE * getCertainty(candidate.value) };
    }),
    ...[...others.values()].sort((left, right) => right.score - left.score).slice(0, MAX_CANDIDATES),
  ];
}

/**
 * Returns whether an amount cannot be a bill's total: it is a part of it, the cash that was handed over, or not yet
 * rounded.
 */
export function isPartOfTotal(
  { value }: { value: unknown },
  { minTotal, tendered, unrounded }: Sums,
): boolean {
  const amount = typeof value === 'number' ? Math.abs(value) : minTotal;
  const cents = Math.round(amount * 100);
  return amount < minTotal || tendered.has(cents) || unrounded.has(cents);
}

function getAmount(candidate: Candidate | undefined): number | undefined {
  return typeof candidate?.value === 'number' ? candidate.value : undefined;
}

function scoreTotals(gross?: Candidate, net?: Candidate, tax?: Candidate): number {
  const [total, base, extra] = [getAmount(gross), getAmount(net), getAmount(tax)];
  let score = (gross?.score ?? 0) + (net?.score ?? 0) + (tax?.score ?? 0);
  // Credit notes print negative amounts, so absolute values are compared.
  const [whole, rest, part] = [total, base, extra].map((value) => Math.abs(value ?? 0));
  if (total !== undefined && base !== undefined && rest! > whole! + 0.005) score -= 0.8;
  if (total !== undefined && extra !== undefined && part! > 0 && part! >= whole!) score -= 0.8;
  if (total !== undefined && base !== undefined && extra !== undefined) {
    const adds = Math.abs(base + extra - total) < 0.011;
    // The equation 0 + 0 = 0 holds for any blank bill, so it earns no bonus.
    score += adds ? (total === 0 ? 0 : extra === 0 ? 0.5 : 0.9) : -0.5;
  }
  return score;
}

function pickPresent(
  gross?: Candidate,
  net?: Candidate,
  tax?: Candidate,
): Partial<Record<AmountRole, Candidate>> {
  return { ...(gross && { gross }), ...(net && { net }), ...(tax && { tax }) };
}

/** Raises the scores of the net, tax and gross amounts if net + tax = gross. */
function raiseConsistentScores(
  picked: Partial<Record<AmountRole, Candidate>>,
): Partial<Record<AmountRole, Candidate>> {
  const [total, base, extra] = [getAmount(picked.gross), getAmount(picked.net), getAmount(picked.tax)];
  if (total === undefined || base === undefined || extra === undefined) return picked;
  if (Math.abs(base + extra - total) >= 0.011) return picked;
  return Object.fromEntries(
    Object.entries(picked).map(([role, candidate]) => [
      role,
      { ...candidate, score: Math.min(1, candidate.score + 0.25) },
    ]),
  );
}
