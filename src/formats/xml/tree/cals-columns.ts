import type { XmlElement } from '#src/text-formats/xml.ts';
import { childrenNamed } from './build.ts';

export interface TableColumns {
  /** Returns the index of a named column in its group, or `undefined` if no column has the name. */
  find(name: string | undefined): number | undefined;
  /** Named spans of columns. */
  spans: ReadonlyMap<string, { first: string; last: string }>;
  /** Returns the columns of the whole table that the columns `first` to `last` of the group cover. */
  place(first: number, last: number): { start: number; end: number };
}

const readWidth = (column: XmlElement): number => Number.parseFloat(column.attributes.colwidth ?? '') || 0;

/** Maximum difference between the widths of two groups, and maximum distance of edges that count as one. */
const TOLERANCE = 0.02;

/**
 * Returns the right edges of the columns of each group, as a share of the table's width. Returns `undefined`
 * if a width is unknown or the groups differ in width, because their columns cannot be compared then.
 */
function readEdges(groups: readonly (readonly XmlElement[])[]): number[][] | undefined {
  const edges: number[][] = [];
  let width: number | undefined;
  for (const columns of groups) {
    let sum = 0;
    const sums = columns.map((column) => {
      const own = readWidth(column);
      sum = own > 0 ? sum + own : Number.NaN;
      return sum;
    });
    width ??= sum;
    if (!(sum > 0) || Math.abs(sum - width) > TOLERANCE * width) return undefined;
    edges.push(sums.map((edge) => edge / sum));
  }
  return edges;
}

/** Merges edges that are almost equal. Returns the merged edges in order. */
function mergeEdges(edges: readonly number[]): number[] {
  const merged: number[] = [];
  for (const edge of [...edges].sort((a, b) => a - b)) {
    if (merged.length === 0 || edge - merged.at(-1)! > TOLERANCE / 2) merged.push(edge);
  }
  return merged;
}

/** Returns for each edge the number of merged edges up to it. */
function rankEdges(own: readonly number[], merged: readonly number[]): number[] {
  let rank = 0;
  return own.map((edge) => {
    while (rank < merged.length && merged[rank]! <= edge + TOLERANCE / 4) rank++;
    return rank;
  });
}

/**
 * Reads the columns of a table whose column groups may divide its width differently. The groups are aligned by
 * the widths of their columns if all are known, and by number otherwise.
 */
export function readColumns(groups: readonly XmlElement[]): TableColumns[] {
  const specs = groups.map((group) => childrenNamed(group, 'colspec'));
  const edges = groups.length > 1 ? readEdges(specs) : undefined;
  const merged = edges && mergeEdges(edges.flat());
  return groups.map((group, index) => {
    const names = new Map<string, number>();
    specs[index]!.forEach(({ attributes }, at) => {
      const number = Math.trunc(Number(attributes.colnum)) || at + 1;
      names.set(attributes.colname ?? String(number), Math.min(number, 1_000) - 1);
    });
    const spans = new Map(
      childrenNamed(group, 'spanspec').map(({ attributes: { spanname = '', namest = '', nameend = '' } }) => [
        spanname,
        { first: namest, last: nameend },
      ]),
    );
    const ranks = edges && merged ? rankEdges(edges[index]!, merged) : undefined;
    return {
      find: (name) => (name === undefined ? undefined : names.get(name)),
      spans,
      place: (first, last) => {
        if (!ranks || last >= ranks.length) return { start: first, end: last + 1 };
        const start = first === 0 ? 0 : ranks[first - 1]!;
        return { start, end: Math.max(start + 1, ranks[last]!) };
      },
    };
  });
}
