import { normalizeText } from './normalize-text.ts';

/** Share of the words of an expected answer that an answer must contain. */
const REQUIRED_SHARE = 0.75;

/** Returns whether an answer contains the key content of the expected answer. */
export function containsKeyContent(answer: string, expected: string): boolean {
  const said = normalizeText(answer);
  const wanted = normalizeText(expected);
  if (said.includes(wanted)) return true;
  const words = listWords(wanted);
  if (words.length === 0) return false;
  const saidWords = new Set(listWords(said));
  const found = words.filter((word) => saidWords.has(word));
  const hasNumbers = words.every((word) => !/\p{N}/u.test(word) || saidWords.has(word));
  return hasNumbers && found.length / words.length >= REQUIRED_SHARE;
}

/**
 * Lists the different words of a text. Each Han, Hiragana, Katakana or Thai character counts as a word. Separators
 * inside of numbers are removed.
 */
function listWords(text: string): string[] {
  const plain = text.replace(/(?<=\p{N})[.,](?=\p{N})/gu, '');
  const words = plain.match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|[\p{L}\p{M}]+|\p{N}+/gu);
  return [...new Set(words ?? [])];
}
