import { smallest } from '#src/lib/extremes.ts';
import { overlapX } from '../geometry.ts';
import type { Draft } from './blocks.ts';

const lettersOf = (drafts: readonly Draft[]) => drafts.reduce((sum, { text }) => sum + text.length, 0);

/**
 * Blocks of upright lines and of columns in one order. The mode that most of the text has gives it; a block of the
 * other comes before the first one that stands below it, as a heading does, or after everything.
 */
export function inOneOrder(columns: readonly Draft[], lines: readonly Draft[]): Draft[] {
  const [most, others] = lettersOf(columns) >= lettersOf(lines) ? [columns, lines] : [lines, columns];
  const top = smallest(most.map(({ y0 }) => y0));
  const ahead = new Map<Draft | undefined, Draft[]>();
  const headers: Draft[] = [];
  for (const draft of others) {
    if (draft.type === 'header') {
      headers.push(draft);
      continue;
    }
    const middle = (draft.y0 + draft.y1) / 2;
    const isBelow = (other: Draft) => other.y0 >= middle && (overlapX(other, draft) > 0 || middle < top);
    const below = draft.type === 'footer' ? undefined : most.find(isBelow);
    ahead.set(below, [...(ahead.get(below) ?? []), draft]);
  }
  return [
    ...headers,
    ...most.flatMap((draft) => [...(ahead.get(draft) ?? []), draft]),
    ...(ahead.get(undefined) ?? []),
  ];
}
