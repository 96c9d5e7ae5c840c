/** Minimum and maximum length of a chosen passage in characters. */
const MIN_CHARACTERS = 20;
const MAX_CHARACTERS = 500;
/** Maximum number of characters of a text that are searched. A chunk may be a whole file. */
const MAX_SEARCHED = 50_000;

/**
 * Returns the sentence of a text that supports a statement best, by the share of words that both have. The sentence is a
 * literal part of the text, so that it is found again after the text was chunked in another way. Returns `undefined`
 * for a text without words.
 */
export function choosePassage(text: string, statement: string): string | undefined {
  const wanted = listWords(statement);
  let best: { sentence: string; score: number } | undefined;
  for (const sentence of splitSentences(text.slice(0, MAX_SEARCHED))) {
    const words = listWords(sentence);
    if (words.size === 0) continue;
    const shared = [...words].filter((word) => wanted.has(word)).length;
    const score = (2 * shared) / (words.size + wanted.size);
    if (!best || score > best.score) best = { sentence, score };
  }
  return best?.sentence.slice(0, MAX_CHARACTERS).trim();
}

/** Splits a text at the ends of sentences and lines. A short part is joined with the following parts of its line. */
function splitSentences(text: string): string[] {
  return text.split(/\n+/).flatMap((line) => {
    const sentences: string[] = [];
    let start = 0;
    for (const { index, 0: end } of line.matchAll(/[.!?]\s+|[。！？]/g)) {
      const next = index + end.length;
      if (next - start < MIN_CHARACTERS) continue;
      sentences.push(line.slice(start, next).trim());
      start = next;
    }
    const rest = line.slice(start).trim();
    return rest === '' ? sentences : [...sentences, rest];
  });
}

/** Lists the words and numbers of a text. Characters of scripts without spaces count as words. */
function listWords(text: string): Set<string> {
  const found = text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|[\p{L}\p{M}]+|\p{N}+/gu);
  return new Set(found);
}
