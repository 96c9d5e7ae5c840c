/** Numbers of correct, returned and expected values. */
export interface Counts {
  correct: number;
  returned: number;
  expected: number;
}

const normalizeText = (text: string) => text.normalize('NFKC').toLowerCase();
const removeSeparators = (text: string) => normalizeText(text).replace(/[^\p{L}\p{N}]/gu, '');
const words = (text: string) => normalizeText(text).match(/[\p{L}\p{N}]+/gu) ?? [];

function wordF1(left: string[], right: string[]): number {
  const rest = [...right];
  let shared = 0;
  for (const word of left) {
    const at = rest.indexOf(word);
    if (at < 0) continue;
    shared++;
    rest.splice(at, 1);
  }
  return left.length + right.length === 0 ? 1 : (2 * shared) / (left.length + right.length);
}

/**
 * Compares values: numbers with a tolerance of 0.005, and texts without case, spaces and punctuation.
 * Expected texts of four words or more also match with a word F1 of at least 0.8.
 */
export function isSame(actual: unknown, expected: unknown): boolean {
  if (typeof expected === 'number') return typeof actual === 'number' && Math.abs(actual - expected) <= 0.005;
  if (typeof expected !== 'string') return actual === expected;
  if (typeof actual !== 'string') return false;
  if (removeSeparators(actual) === removeSeparators(expected)) return true;
  const wanted = words(expected);
  return wanted.length >= 4 && wordF1(words(actual), wanted) >= 0.8;
}

function countLeaves(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countLeaves(inner), 0);
}

function countCorrectLeaves(actual: unknown, expected: unknown): number {
  if (Array.isArray(expected)) {
    const rest = Array.isArray(actual) ? [...actual] : [];
    let sum = 0;
    for (const row of expected) {
      let best = { at: -1, score: 0 };
      for (const [at, candidate] of rest.entries()) {
        const score = countCorrectLeaves(candidate, row);
        if (score > best.score) best = { at, score };
      }
      if (best.at >= 0) rest.splice(best.at, 1);
      sum += best.score;
    }
    return sum;
  }
  if (typeof expected === 'object' && expected !== null) {
    return Object.entries(expected).reduce(
      (sum, [key, value]) =>
        sum + countCorrectLeaves((actual as Record<string, unknown> | undefined)?.[key], value),
      0,
    );
  }
  return expected !== null && isSame(actual, expected) ? 1 : 0;
}

/**
 * Counts the correct, returned and expected leaf values. Each expected row of a list is paired with the
 * returned row that shares most values.
 */
export function score(actual: unknown, expected: Record<string, unknown>): Counts {
  const known = Object.fromEntries(
    Object.entries((actual ?? {}) as Record<string, unknown>).filter(([key]) => key in expected),
  );
  return {
    correct: countCorrectLeaves(known, expected),
    returned: countLeaves(known),
    expected: countLeaves(expected),
  };
}

export function add(left: Counts, right: Counts): Counts {
  return {
    correct: left.correct + right.correct,
    returned: left.returned + right.returned,
    expected: left.expected + right.expected,
  };
}

export function computeRates({ correct, returned, expected }: Counts) {
  const precision = returned ? correct / returned : 0;
  const recall = expected ? correct / expected : 0;
  return { precision, recall, f1: precision + recall ? (2 * precision * recall) / (precision + recall) : 0 };
}
