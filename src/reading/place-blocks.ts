import type { Block, Box, Page } from '#src/documents/document.ts';

/** A token of the text printed on the page, with the box of its word. */
interface PrintedToken {
  token: string;
  box: Box;
}

/**
 * Maximum number of positions that are stored for the same token. More frequent tokens do not help to locate
 * a block.
 */
const MAX_POSITIONS = 64;
/** Minimum share of a block's tokens, from 0 to 1, that must be found on the page to locate the block. */
const MIN_FOUND_SHARE = 0.5;
/**
 * Maximum distance between two tokens of a block on the page, in tokens. A larger distance starts a new run.
 */
const MAX_GAP = 12;

/**
 * Returns the blocks with the boxes of their text on the page. Blocks are located by the tokens that they
 * share with the page's words. If the page has no words, the parser's blocks are used instead. A block that
 * is not found has no box. Runs in linear time.
 */
export function placeBlocks(blocks: readonly Block[], page: Pick<Page, 'words' | 'blocks'>): Block[] {
  const printed = listPrintedTokens(page);
  const places = new Map<string, number[]>();
  for (const [at, { token }] of printed.entries()) {
    const known = places.get(token);
    if (!known) places.set(token, [at]);
    else if (known.length < MAX_POSITIONS) known.push(at);
  }
  const used = new Set<number>();
  return blocks.map((block) => {
    const { box: _, ...bare } = block;
    const box = findBlockBox(splitIntoTokens(block.text), printed, places, used);
    return box ? { ...bare, box } : bare;
  });
}

function findBlockBox(
  tokens: string[],
  printed: readonly PrintedToken[],
  places: ReadonlyMap<string, readonly number[]>,
  used: Set<number>,
): Box | undefined {
  const start = findBestStart(tokens, places, used);
  if (start === undefined) return undefined;
  const missing = new Map<string, number>();
  for (const token of tokens) missing.set(token, (missing.get(token) ?? 0) + 1);
  const reach = getSearchRadius(tokens.length);
  const found: number[] = [];
  const end = Math.min(printed.length, start + tokens.length + 2 * reach);
  for (let at = Math.max(0, start - reach); at < end; at += 1) {
    const { token } = printed[at]!;
    const left = missing.get(token) ?? 0;
    if (left === 0 || used.has(at)) continue;
    missing.set(token, left - 1);
    found.push(at);
  }
  const run = keepLargeRuns(found);
  if (run.length < MIN_FOUND_SHARE * tokens.length) return undefined;
  for (const at of run) used.add(at);
  return union(run.map((at) => printed[at]!.box));
}

const getSearchRadius = (length: number) => Math.max(8, Math.ceil(length / 4));

/**
 * Returns the position on the page from which most tokens of a block match. Returns `undefined` if no token
 * is found.
 */
function findBestStart(
  tokens: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  used: ReadonlySet<number>,
): number | undefined {
  const width = getSearchRadius(tokens.length);
  const votes = new Map<number, { weight: number; first: number }>();
  for (const [at, token] of tokens.entries()) {
    const known = places.get(token) ?? [];
    for (const place of known) {
      if (used.has(place)) continue;
      const bucket = Math.floor((place - at) / width);
      const vote = votes.get(bucket) ?? { weight: 0, first: Number.POSITIVE_INFINITY };
      // Frequent tokens get a lower weight, because they say less about the position of the block.
      vote.weight += 1 / known.length;
      vote.first = Math.min(vote.first, place - at);
      votes.set(bucket, vote);
    }
  }
  let best: { weight: number; first: number } | undefined;
  for (const vote of votes.values()) {
    const isBetter =
      !best || vote.weight > best.weight || (vote.weight === best.weight && vote.first < best.first);
    if (isBetter) best = vote;
  }
  return best?.first;
}

/** Drops tokens that were found far from the others, because they probably belong to another block. */
function keepLargeRuns(found: readonly number[]): number[] {
  const runs: number[][] = [];
  for (const at of found) {
    const last = runs.at(-1);
    if (last && at - last.at(-1)! <= MAX_GAP) last.push(at);
    else runs.push([at]);
  }
  return runs.filter((run) => run.length * 4 >= found.length).flat();
}

function listPrintedTokens({ words, blocks }: Pick<Page, 'words' | 'blocks'>): PrintedToken[] {
  if (words.length > 0) {
    return words.flatMap(([text, x, y, w, h]) =>
      splitIntoTokens(text).map((token) => ({ token, box: { x, y, w, h } })),
    );
  }
  return blocks.flatMap(({ text, box }) =>
    box ? splitIntoTokens(text).map((token) => ({ token, box })) : [],
  );
}

const splitIntoTokens = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

function union(boxes: readonly Box[]): Box {
  let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    x = Math.min(x, box.x);
    y = Math.min(y, box.y);
    right = Math.max(right, box.x + box.w);
    bottom = Math.max(bottom, box.y + box.h);
  }
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(x), y: round(y), w: round(right - x), h: round(bottom - y) };
}
