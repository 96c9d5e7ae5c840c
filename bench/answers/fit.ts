const RATE = 0.1;
/** L2 regularization. It keeps the weights of correlated features small. */
const SHRINK = 0.0005;
const MOMENTUM = [0.9, 0.999] as const;

/** Maximizes a function with Adam by following its gradient, and returns the weights. */
export function maximize(size: number, steps: number, gradientAt: (weights: number[]) => number[]): number[] {
  const weights = new Array<number>(size).fill(0);
  const mean = new Array<number>(size).fill(0);
  const square = new Array<number>(size).fill(0);
  const [slow, slower] = MOMENTUM;
  for (let step = 1; step <= steps; step += 1) {
    for (const [k, raw] of gradientAt(weights).entries()) {
      const slope = raw - SHRINK * weights[k]!;
      mean[k] = slow * mean[k]! + (1 - slow) * slope;
      square[k] = slower * square[k]! + (1 - slower) * slope * slope;
      const size = Math.sqrt(square[k]! / (1 - slower ** step)) + 1e-8;
      weights[k]! += (RATE * mean[k]!) / (1 - slow ** step) / size;
    }
  }
  return weights;
}

const dot = (a: number[], b: number[]) => a.reduce((sum, value, k) => sum + value * b[k]!, 0);

/** Candidates of one question, of which one or several are right. */
export interface Choice {
  features: number[][];
  isRight: boolean[];
  /** Set of the question. All sets count equally. */
  set: string;
}

/** Fits the weights of a conditional logit, which maximize the probability of the right candidates. */
export function fitChoice(all: Choice[], steps = 150): number[] {
  const choices = all.filter(({ isRight }) => isRight.includes(true) && isRight.includes(false));
  const size = choices[0]!.features[0]!.length;
  const counts = new Map<string, number>();
  for (const { set } of choices) counts.set(set, (counts.get(set) ?? 0) + 1);
  return maximize(size, steps, (weights) => {
    const gradient = new Array<number>(size).fill(0);
    for (const { features, isRight, set } of choices) {
      const share = 1 / counts.get(set)! / counts.size;
      const scores = features.map((values) => dot(values, weights));
      const top = Math.max(...scores);
      const likely = scores.map((score) => Math.exp(score - top));
      const total = likely.reduce((sum, value) => sum + value, 0);
      const right = likely.reduce((sum, value, i) => sum + (isRight[i] ? value : 0), 0);
      for (const [i, values] of features.entries()) {
        const pull = (isRight[i] ? likely[i]! / right : 0) - likely[i]! / total;
        if (Math.abs(pull) < 1e-9) continue;
        for (let k = 0; k < size; k += 1) gradient[k]! += pull * values[k]! * share;
      }
    }
    return gradient;
  });
}

export interface Example {
  features: number[];
  isYes: boolean;
}

/**
 * Fits the weights of a logistic regression. The last weight is the bias. Both classes count equally,
 * whatever their number of examples.
 */
export function fitLogistic(examples: Example[], steps = 200): number[] {
  const rows = examples.map(({ features }) => [...features, 1]);
  const yes = examples.filter(({ isYes }) => isYes).length;
  const size = rows[0]!.length;
  return maximize(size, steps, (weights) => {
    const gradient = new Array<number>(size).fill(0);
    for (const [i, { isYes }] of examples.entries()) {
      const likely = 1 / (1 + Math.exp(-dot(rows[i]!, weights)));
      const pull = ((isYes ? 1 : 0) - likely) / (2 * (isYes ? yes : examples.length - yes));
      for (let k = 0; k < size; k += 1) gradient[k]! += pull * rows[i]![k]!;
    }
    return gradient;
  });
}

/** Returns the probability of yes according to the weights of `fitLogistic`. */
export const likelihood = (weights: number[], features: number[]): number =>
  1 / (1 + Math.exp(-dot([...features, 1], weights)));

/** Returns the value below which the given share of the values lies. */
export function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}

export { dot };
