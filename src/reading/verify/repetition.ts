import type { Token } from './tokens.ts';

/** Fewer words in a row stand on a page twice without anybody's mistake. */
const WINDOW = 8;
const LEAST_MORE = 0.75;

/** Tokens of stretches that a text has more often than the page: a model that fell into a loop. */
export function repeatedIn(tokens: readonly Token[], page: readonly Token[]): boolean[] {
  const onPage = new Map<number, number>();
  for (const { hash } of windowsOf(page)) onPage.set(hash, (onPage.get(hash) ?? 0) + 1);
  const isRepeated = new Array<boolean>(tokens.length).fill(false);
  const seen = new Map<number, number>();
  // What has been marked once need not be marked again by a window that begins one token later.
  let marked = 0;
  const isMore = moreThanOn(page, tokens);
  // How many of the tokens before each stand in the text more often than on the page.
  const more = [0];
  for (const each of isMore) more.push(more.at(-1)! + Number(each));
  for (const { start, hash } of windowsOf(tokens)) {
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    if (count <= Math.max(1, onPage.get(hash) ?? 0)) continue;
    // The page may say it as often with its words parted otherwise: then single words are not more.
    if (more[start + WINDOW]! - more[start]! < WINDOW * LEAST_MORE) continue;
    for (let at = Math.max(start, marked); at < start + WINDOW; at++) isRepeated[at] = true;
    marked = start + WINDOW;
  }
  return isRepeated;
}

const BASE = 1_000_003;
let leaving = 1;
for (let power = 1; power < WINDOW; power++) leaving = Math.imul(leaving, BASE);

/** A number for each stretch of tokens, the same for the same stretch. */
function* windowsOf(tokens: readonly Token[]): Generator<{ start: number; hash: number }> {
  let hash = 0;
  for (let end = 0; end < tokens.length; end++) {
    const gone = end >= WINDOW ? scatter(tokens[end - WINDOW]!.id) : 0;
    hash = (Math.imul(hash - Math.imul(gone, leaving), BASE) + scatter(tokens[end]!.id)) | 0;
    if (end + 1 >= WINDOW) yield { start: end + 1 - WINDOW, hash };
  }
}

const scatter = (id: number) => Math.imul(id + 1, 0x9e3779b1) ^ (id >>> 7);

function moreThanOn(page: readonly Token[], tokens: readonly Token[]): boolean[] {
  const balance = new Map<number, number>();
  for (const { id } of tokens) balance.set(id, (balance.get(id) ?? 0) + 1);
  for (const { id } of page) balance.set(id, (balance.get(id) ?? 0) - 1);
  return tokens.map(({ id }) => balance.get(id)! > 0);
}
