import { wrongAnswer } from './unit-vector.ts';

export const POOLINGS = ['cls', 'last', 'mean'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** One vector of a text for which a model gave one for each token; what is no list of vectors stays as it is. */
export function pooled(row: unknown, pooling: Pooling): unknown {
  if (!Array.isArray(row) || !Array.isArray(row[0])) return row;
  // Some servers wrap those of a text once more, as a batch of one.
  const isWrapped = row.length === 1 && Array.isArray(row[0][0]);
  const tokens = (isWrapped ? row[0] : row) as unknown[][];
  if (pooling === 'cls') return tokens[0];
  if (pooling === 'last') return tokens.at(-1);
  const sum = new Float64Array(tokens[0]!.length);
  for (const token of tokens) {
    if (!Array.isArray(token) || token.length !== sum.length) {
      throw wrongAnswer('The model gave vectors of different lengths for the tokens of a text.');
    }
    // What is no number shows as NaN in the sum.
    for (const [at, value] of token.entries()) sum[at]! += typeof value === 'number' ? value : Number.NaN;
  }
  return Array.from(sum, (value) => value / tokens.length);
}
