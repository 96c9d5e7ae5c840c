/**
 * Texts of a table's cells by rows. The text of a cell that spans others is at the first position, and the
 * other positions are empty.
 */
export type Grid = string[][];

export interface Score {
  /** Similarity of each true table from 0 to 1. It is 0 if no table was found for it. */
  teds: number[];
  /** Numbers of adjacent cell pairs: found pairs that are right, all found pairs, and all true pairs. */
  right: number;
  found: number;
  expected: number;
  /** Number of found tables that are not paired with a true table. */
  surplus: number;
}

export const cleanText = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Normalises a table before a comparison: all rows have the same length, and empty rows and columns are
 * removed.
 */
export function cleanGrid(grid: Grid): Grid {
  const rows = grid.map((row) => row.map(cleanText)).filter((row) => row.some((text) => text !== ''));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const columnsWithText = Array.from({ length: columns }, (_, at) => at).filter((at) =>
    rows.some((row) => row[at]),
  );
  return rows.map((row) => columnsWithText.map((at) => row[at] ?? ''));
}

/** Returns true if a grid counts as a table, which needs at least two rows and two columns. */
export const isTable = (grid: Grid): boolean => grid.length > 1 && grid[0]!.length > 1;

/**
 * Compares the tables found in a document with the true ones. The tables that share most texts are paired.
 *
 * `teds`: the tree-edit-distance similarity of Zhong, ShafieiBavani and Jimeno Yepes (PubTabNet, 2020) over
 * the tree table > tr > td. It is 1 - distance / (nodes of the larger tree). Inserting or deleting a node
 * costs 1. Changing a cell costs the Levenshtein distance of the texts, divided by the length of the longer
 * one. The tree contains neither thead nor spans, because Markdown has neither. Empty cells stand for the
 * cells that a span covers.
 *
 * `right`, `found`, `expected`: the adjacency relations of the ICDAR 2013 table competition. They connect
 * each filled cell with the next filled cell to its right and below it, ignoring empty cells. A relation is
 * right if the paired true table has a relation with the same texts and direction.
 */
export function scoreTables(found: readonly Grid[], expected: readonly Grid[]): Score {
  const candidates = expected.flatMap((truth, wanted) =>
    found.map((grid, at) => ({ wanted, at, shared: measureSharedTexts(truth, grid) })),
  );
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  for (const { wanted, at, shared } of candidates.toSorted((a, b) => b.shared - a.shared)) {
    if (shared === 0 || pairs.has(wanted) || taken.has(at)) continue;
    pairs.set(wanted, at);
    taken.add(at);
  }
  const score: Score = { teds: [], right: 0, found: 0, expected: 0, surplus: found.length - taken.size };
  for (const grid of found) score.found += listRelations(grid).length;
  for (const [wanted, truth] of expected.entries()) {
    const true_ = listRelations(truth);
    score.expected += true_.length;
    const at = pairs.get(wanted);
    score.teds.push(at === undefined ? 0 : computeTreeSimilarity(truth, found[at]!));
    if (at !== undefined) score.right += countShared(true_, listRelations(found[at]!));
  }
  return score;
}

/** Returns the F1 of the adjacency relations of several documents together. */
export function computeAdjacencyF1(scores: readonly Score[]): number {
  const sum = (member: 'right' | 'found' | 'expected') =>
    scores.reduce((total, score) => total + score[member], 0);
  return (2 * sum('right')) / Math.max(1, sum('found') + sum('expected'));
}

function measureSharedTexts(a: Grid, b: Grid): number {
  const filled = (grid: Grid) => grid.flat().filter((text) => text !== '');
  const [left, right] = [filled(a), filled(b)];
  const cells = countShared(left, right) / Math.max(left.length, right.length, 1);
  // Cells with different boundaries still share words.
  const words = (texts: string[]) => texts.flatMap((text) => text.split(' '));
  const [leftWords, rightWords] = [words(left), words(right)];
  return cells + countShared(leftWords, rightWords) / Math.max(leftWords.length, rightWords.length, 1);
}

function countShared(a: readonly string[], b: readonly string[]): number {
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

function listRelations(grid: Grid): string[] {
  const relations: string[] = [];
  const addRelations = (cells: readonly string[], direction: string) => {
    const filled = cells.filter((text) => text !== '');
    for (let at = 1; at < filled.length; at++)
      relations.push(JSON.stringify([direction, filled[at - 1], filled[at]]));
  };
  for (const row of grid) addRelations(row, 'right');
  for (const column of grid[0]?.keys() ?? [])
    addRelations(
      grid.map((row) => row[column]!),
      'below',
    );
  return relations;
}

interface Tree {
  /** Nodes in postorder with their depth. `text` is undefined for a node that is not a cell. */
  nodes: { text?: string; depth: number }[];
  /** For each node, the index of the first node below it in postorder. */
  first: number[];
  keyRoots: number[];
}

function buildTree(grid: Grid): Tree {
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

/**
 * Returns the similarity of two tables, which is 1 for equal trees. It uses the ordered tree distance of
 * Zhang and Shasha (1989).
 */
function computeTreeSimilarity(a: Grid, b: Grid): number {
  const [left, right] = [buildTree(a), buildTree(b)];
  const distances = left.nodes.map(() => new Float64Array(right.nodes.length));
  for (const i of left.keyRoots)
    for (const j of right.keyRoots) computeSubtreeDistance(left, right, i, j, distances);
  const distance = distances.at(-1)!.at(-1)!;
  return Math.max(0, 1 - distance / Math.max(left.nodes.length, right.nodes.length));
}

function computeSubtreeDistance(a: Tree, b: Tree, i: number, j: number, distances: Float64Array[]): void {
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
      const columnsWithText = whole
        ? forest[x - 1]![y - 1]! + changeCost(a.nodes[s]!, b.nodes[t]!)
        : forest[a.first[s]! - fromA]![b.first[t]! - fromB]! + distances[s]![t]!;
      forest[x]![y] = Math.min(change, columnsWithText);
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
