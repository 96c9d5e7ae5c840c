import type { Token } from './tokens.ts';

/** Fewer words in a row stand on a page twice without anybody's mistake. */
const WINDOW = 8;
const LEAST_MORE = 0.75;

/** As many letters, whatever parts them: a page that parts its words otherwise says them as often. */
const LETTERS = 16;

/** Tokens of stretches that a text has more often than the page: a model that fell into a loop. */
export function repeatedIn(tokens: readonly Token[], page: readonly Token[]): boolean[] {
  const onPage = new Map<number, number>();
  for (const { hash } of windowsOf(page)) onPage.set(hash, (onPage.get(hash) ?? 0) + 1);
  const isRepeated = new Array<boolean>(tokens.length).fill(false);
  const seen = new Map<number, number>();
  // What has been marked once need not be marked again by a window that begins one token later.
  let marked = 0;
  const isMore = moreThanOn(page, tokens);
  const isOften = oftenerInLetters(page, tokens);
  // How many of the tokens before each stand in the text more often than on the page.
  const more = [0];
  for (const each of isMore) more.push(more.at(-1)! + Number(each));
  for (const { start, hash } of windowsOf(tokens)) {
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    if (count <= Math.max(1, onPage.get(hash) ?? 0) || !isOften[start]) continue;
    // A page that OCR read may say it as often with other letters: then single words are not more.
    if (more[start + WINDOW]! - more[start]! < WINDOW * LEAST_MORE) continue;
    for (let at = Math.max(start, marked); at < start + WINDOW; at++) isRepeated[at] = true;
    marked = start + WINDOW;
  }
  return isRepeated;
}

const BASE = 1_000_003;
const leavingAfter = (length: number) => {
  let power = 1;
  for (let times = 1; times < length; times++) power = Math.imul(power, BASE);
  return power;
};
const leaving = leavingAfter(WINDOW);
const leavingLetters = leavingAfter(LETTERS);

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

/** Whether the letters from each token on stand in the text, so far, more often than anywhere on the page. */
function oftenerInLetters(page: readonly Token[], tokens: readonly Token[]): boolean[] {
  const onPage = new Map<number, number>();
  const printed = page.map(({ letters }) => letters).join('');
  for (const hash of letterWindows(printed)) onPage.set(hash, (onPage.get(hash) ?? 0) + 1);
  const hashes = [...letterWindows(tokens.map(({ letters }) => letters).join(''))];
  const seen = new Map<number, number>();
  let at = 0;
  return tokens.map(({ letters }) => {
    const hash = hashes[at];
    at += letters.length;
    // The last few words of a text are as those before them.
    if (hash === undefined) return true;
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return count > Math.max(1, onPage.get(hash) ?? 0);
  });
}

function* letterWindows(text: string): Generator<number> {
  let hash = 0;
  for (let end = 0; end < text.length; end++) {
    const gone = end >= LETTERS ? scatter(text.charCodeAt(end - LETTERS)) : 0;
    hash = (Math.imul(hash - Math.imul(gone, leavingLetters), BASE) + scatter(text.charCodeAt(end))) | 0;
    if (end + 1 >= LETTERS) yield hash;
  }
}

function moreThanOn(page: readonly Token[], tokens: readonly Token[]): boolean[] {
  const balance = new Map<number, number>();
  for (const { id } of tokens) balance.set(id, (balance.get(id) ?? 0) + 1);
  for (const { id } of page) balance.set(id, (balance.get(id) ?? 0) - 1);
  return tokens.map(({ id }) => balance.get(id)! > 0);
}
