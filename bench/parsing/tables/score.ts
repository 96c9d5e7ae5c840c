/** The texts of a table's cells by rows; of a cell that spans others the text stands in the first place. */
export type Grid = string[][];

export interface Score {
  /** Of each true table: 0..1, 0 where nothing was found for it. */
  teds: number[];
  /** Pairs of neighbouring cells: found and true, found, true. */
  right: number;
  found: number;
  expected: number;
  /** Tables found of which no cell is in a true one that is not found better elsewhere. */
  surplus: number;
}

export const cleanText = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** What both sides are compared as: rows of one length, none of them empty, and no empty column. */
export function cleanGrid(grid: Grid): Grid {
  const rows = grid.map((row) => row.map(cleanText)).filter((row) => row.some((text) => text !== ''));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const kept = Array.from({ length: columns }, (_, at) => at).filter((at) => rows.some((row) => row[at]));
  return rows.map((row) => kept.map((at) => row[at] ?? ''));
}

/** A table says something by its rows and its columns where it has two of each. */
export const isTable = (grid: Grid): boolean => grid.length > 1 && grid[0]!.length > 1;

/**
 * Compares the tables found in a document with the true ones. Pairs are made of those that share most texts.
 *
 * `teds`: the tree-edit-distance similarity of Zhong, ShafieiBavani and Jimeno Yepes (PubTabNet, 2020) over the tree
 * table > tr > td: 1 - distance / (nodes of the larger tree), where to insert or delete a node costs 1 and to change
 * a cell into another the Levenshtein distance of their texts over the length of the longer. Neither thead nor spans
 * are in the tree: Markdown says neither, and empty cells stand for what a cell spans.
 *
 * `right`, `found`, `expected`: the adjacency relations of the ICDAR 2013 table competition: each filled cell with the
 * next filled cell to its right and the next below it, empty ones passed over. Right is a relation whose two texts
 * and direction are those of a true one in the table's pair.
 */
export function scoreTables(found: readonly Grid[], expected: readonly Grid[]): Score {
  const candidates = expected.flatMap((truth, wanted) =>
    found.map((grid, at) => ({ wanted, at, shared: sharedTexts(truth, grid) })),
  );
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  for (const { wanted, at, shared } of candidates.toSorted((a, b) => b.shared - a.shared)) {
    if (shared === 0 || pairs.has(wanted) || taken.has(at)) continue;
    pairs.set(wanted, at);
    taken.add(at);
  }
  const score: Score = { teds: [], right: 0, found: 0, expected: 0, surplus: found.length - taken.size };
  for (const grid of found) score.found += relationsOf(grid).length;
  for (const [wanted, truth] of expected.entries()) {
    const true_ = relationsOf(truth);
    score.expected += true_.length;
    const at = pairs.get(wanted);
    score.teds.push(at === undefined ? 0 : treeSimilarity(truth, found[at]!));
    if (at !== undefined) score.right += sharedCount(true_, relationsOf(found[at]!));
  }
  return score;
}

/** F1 of the adjacency relations of some documents together. */
export function adjacencyF1(scores: readonly Score[]): number {
  const sum = (member: 'right' | 'found' | 'expected') =>
    scores.reduce((total, score) => total + score[member], 0);
  return (2 * sum('right')) / Math.max(1, sum('found') + sum('expected'));
}

function sharedTexts(a: Grid, b: Grid): number {
  const filled = (grid: Grid) => grid.flat().filter((text) => text !== '');
  const [left, right] = [filled(a), filled(b)];
  const cells = sharedCount(left, right) / Math.max(left.length, right.length, 1);
  // Cells cut elsewhere still share words.
  const words = (texts: string[]) => texts.flatMap((text) => text.split(' '));
  const [leftWords, rightWords] = [words(left), words(right)];
  return cells + sharedCount(leftWords, rightWords) / Math.max(leftWords.length, rightWords.length, 1);
}

function sharedCount(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const text of a) left.set(text, (left.get(text) ?? 0) + 1);
  let shared = 0;
  for (const text of b) {
    const count = left.get(text) ?? 0;
    if (count > 0) shared++;
    left.set(text, count - 1);
  }
  return shared;
}

function relationsOf(grid: Grid): string[] {
  const relations: string[] = [];
  const along = (cells: readonly string[], direction: string) => {
    const filled = cells.filter((text) => text !== '');
    for (let at = 1; at < filled.length; at++)
      relations.push(JSON.stringify([direction, filled[at - 1], filled[at]]));
  };
  for (const row of grid) along(row, 'right');
  for (const column of grid[0]?.keys() ?? [])
    along(
      grid.map((row) => row[column]!),
      'below',
    );
  return relations;
}

interface Tree {
  /** In postorder; undefined for a node that is no cell, with its depth. */
  nodes: { text?: string; depth: number }[];
  /** The first node, in postorder, below each. */
  first: number[];
  keyRoots: number[];
}

function treeOf(grid: Grid): Tree {
  const tree: Tree = { nodes: [], first: [], keyRoots: [] };
  const add = (first: number, node: Tree['nodes'][number]) => {
    tree.nodes.push(node);
    tree.first.push(first);
  };
  for (const row of grid) {
    const start = tree.nodes.length;
    for (const text of row) add(tree.nodes.length, { text, depth: 2 });
    add(start, { depth: 1 });
  }
  add(0, { depth: 0 });
  const last = new Map<number, number>();
  for (const [at, first] of tree.first.entries()) last.set(first, at);
  tree.keyRoots = [...last.values()].sort((a, b) => a - b);
  return tree;
}

/** 1 for equal trees. Zhang and Shasha's distance of ordered trees (1989). */
function treeSimilarity(a: Grid, b: Grid): number {
  const [left, right] = [treeOf(a), treeOf(b)];
  const distances = left.nodes.map(() => new Float64Array(right.nodes.length));
  for (const i of left.keyRoots)
    for (const j of right.keyRoots) subtreeDistance(left, right, i, j, distances);
  const distance = distances.at(-1)!.at(-1)!;
  return Math.max(0, 1 - distance / Math.max(left.nodes.length, right.nodes.length));
}

function subtreeDistance(a: Tree, b: Tree, i: number, j: number, distances: Float64Array[]): void {
  const [fromA, fromB] = [a.first[i]!, b.first[j]!];
  const [rows, columns] = [i - fromA + 2, j - fromB + 2];
  const forest = Array.from({ length: rows }, () => new Float64Array(columns));
  for (let x = 1; x < rows; x++) forest[x]![0] = x;
  for (let y = 1; y < columns; y++) forest[0]![y] = y;
  for (let x = 1; x < rows; x++) {
    for (let y = 1; y < columns; y++) {
      const [s, t] = [fromA + x - 1, fromB + y - 1];
      const change = Math.min(forest[x - 1]![y]! + 1, forest[x]![y - 1]! + 1);
      const whole = a.first[s] === fromA && b.first[t] === fromB;
      const kept = whole
        ? forest[x - 1]![y - 1]! + changeCost(a.nodes[s]!, b.nodes[t]!)
        : forest[a.first[s]! - fromA]![b.first[t]! - fromB]! + distances[s]![t]!;
      forest[x]![y] = Math.min(change, kept);
      if (whole) distances[s]![t] = forest[x]![y]!;
    }
  }
}

function changeCost(a: Tree['nodes'][number], b: Tree['nodes'][number]): number {
  if (a.depth !== b.depth) return 1;
  if (a.text === b.text || a.text === undefined || b.text === undefined) return 0;
  return levenshtein([...a.text], [...b.text]) / Math.max(a.text.length, b.text.length);
}

function levenshtein(a: readonly string[], b: readonly string[]): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of a.entries()) {
    const row = [i + 1];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (letter === b[j - 1] ? 0 : 1));
    }
    before = row;
  }
  return before[b.length]!;
}
