import { detectLanguage } from '#src/languages/detect.ts';
import { hasOwnScript, isCyrillic } from '#src/languages/registry.ts';
import { largest } from '#src/lib/extremes.ts';
import { LANGUAGE_CODES, type LanguageCode, languageOf } from '#src/search/languages.ts';
import { words } from '#src/search/words.ts';

/**
 * Letters from which a chunk is long enough to differ from the document's language, and the minimum for
 * detecting another script.
 */
const LONG = 400;
const FEWEST_LETTERS = 10;
const PARTS = 3;
/** Factor by which stop words of another language must outnumber those of the document's language. */
const MARGIN = 1.5;

const LATIN = /\p{sc=Latin}/gu;
const CYRILLIC = /\p{sc=Cyrillic}/gu;
const OTHER = /[^\P{L}\p{sc=Latin}\p{sc=Cyrillic}]/gu;

function scriptOf(language: string): RegExp {
  if (hasOwnScript(language)) return OTHER;
  return isCyrillic(language) ? CYRILLIC : LATIN;
}

/**
 * Returns the language of a chunk. It is that of the document unless the chunk is clearly in another script,
 * or long and entirely in another language. In a chunk with a wrong language, other forms of a word would not
 * be found.
 */
export function chunkLanguage(text: string, ofDocument: string | undefined): string | undefined {
  const common = countStopWords(text);
  const expected = ofDocument === undefined ? 0 : common(ofDocument);
  // Much cheaper than detection, and sufficient for nearly all chunks.
  if (expected > 0 && expected === common()) return ofDocument;
  const detected = detectLanguage(text);
  if (detected === undefined || detected === ofDocument) return ofDocument;
  const script = scriptOf(detected);
  const isClear =
    ofDocument === undefined || script === scriptOf(ofDocument)
      ? isThroughout(text, detected) && common(detected) > MARGIN * expected
      : isMostly(text, script);
  return isClear ? detected : ofDocument;
}

function isMostly(text: string, script: RegExp): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const own = text.match(script)?.length ?? 0;
  return own >= FEWEST_LETTERS && own > (2 / 3) * letters;
}

function isThroughout(text: string, language: string): boolean {
  const size = Math.ceil(text.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, i) => text.slice(i * size, (i + 1) * size));
  return text.length >= LONG && parts.every((part) => detectLanguage(part) === language);
}

let stopWords: Map<string, LanguageCode[]> | undefined;

/** Counts a text's words that are stop words of a language, or of the language with the most of them. */
function countStopWords(text: string): (code?: string) => number {
  if (stopWords === undefined) {
    stopWords = new Map();
    for (const code of LANGUAGE_CODES) {
      for (const word of new Set(languageOf(code).stopWords.flatMap((each) => words(each)))) {
        stopWords.set(word, [...(stopWords.get(word) ?? []), code]);
      }
    }
  }
  const counts = new Map<string, number>();
  for (const word of words(text)) {
    for (const code of stopWords.get(word) ?? []) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return (code) => (code === undefined ? largest(counts.values(), 0) : (counts.get(code) ?? 0));
}
