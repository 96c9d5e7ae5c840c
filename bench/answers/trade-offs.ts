import type { Kind } from './cases.ts';

/** Confidence in the answer to one question, by weights that were fitted without its set. */
export interface Judged {
  set: string;
  kind: Kind;
  confidence: number;
}

const THRESHOLDS = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7];

/**
 * Returns one line for each minimum confidence: the mean share of refused questions over the sets that have the kind,
 * and the highest share of answerable questions that one set refuses.
 */
export function listTradeOffs(judged: Judged[]): string[] {
  const kinds = [...new Set(judged.map(({ kind }) => kind))];
  const sets = [...new Set(judged.map(({ set }) => set))];
  return THRESHOLDS.map((threshold) => {
    const listShares = (kind: Kind) =>
      sets.flatMap((set) => {
        const own = judged.filter((each) => each.set === set && each.kind === kind);
        return own.length === 0
          ? []
          : own.filter(({ confidence }) => confidence < threshold).length / own.length;
      });
    const means = kinds.map((kind) => {
      const shares = listShares(kind);
      const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      return `${kind} ${mean.toFixed(3)}`;
    });
    const highest = Math.max(...listShares('answerable')).toFixed(3);
    return `minimum confidence ${threshold}: refused ${means.join(', ')}, highest answerable ${highest}`;
  });
}
