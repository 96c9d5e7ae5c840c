import type { Token } from './text/tokens.ts';

/** Lines at each end of a page that a reader may leave out: running heads, numbers of pages. */
const EDGE_LINES = 3;
const LONGEST_EDGE = 15;
/** Places of one token at which a running head is looked for. */
const MOST_PLACES = 64;

/**
 * For each token of a page whether it stands in its running heads: in those that the layout knows, and in the short
 * lines at both ends of a page that is longer than those.
 */
export function edgesOf(page: readonly Token[], heads: readonly (readonly Token[])[]): boolean[] {
  const isEdge = new Array<boolean>(page.length).fill(false);
  markHeads(page, heads, isEdge);
  const [start, end] = innerOf(page);
  isEdge.fill(true, 0, start);
  isEdge.fill(true, end);
  return isEdge;
}

function markHeads(page: readonly Token[], heads: readonly (readonly Token[])[], isEdge: boolean[]) {
  const wanted = new Set(heads.flatMap(([first]) => (first ? [first.id] : [])));
  const places = new Map<number, number[]>();
  page.forEach(({ id }, at) => {
    if (!wanted.has(id)) return;
    const known = places.get(id);
    if (!known) places.set(id, [at]);
    else if (known.length < MOST_PLACES) known.push(at);
  });
  for (const head of heads) {
    const at = (places.get(head[0]?.id ?? -1) ?? []).find(
      (start) => !isEdge[start] && head.every(({ id }, offset) => page[start + offset]?.id === id),
    );
    if (at !== undefined) isEdge.fill(true, at, at + head.length);
  }
}

/** What lies between the short lines at both ends of a page; all of a page that is hardly longer than those. */
function innerOf(page: readonly Token[]): [number, number] {
  const starts = page.flatMap((token, index) => (token.isFirst ? [index] : []));
  if (starts.length < 4 * EDGE_LINES) return [0, page.length];
  let start = 0;
  let end = page.length;
  for (let line = 1; line <= EDGE_LINES; line++) {
    const next = starts[line]!;
    if (start === starts[line - 1] && next - start <= LONGEST_EDGE) start = next;
    const last = starts.at(-line)!;
    if (end - last <= LONGEST_EDGE && (line === 1 || end === starts.at(1 - line))) end = last;
  }
  return [start, end];
}
