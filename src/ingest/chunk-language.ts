import { detectLanguage } from '#src/languages/detect.ts';
import { hasOwnScript, isCyrillic } from '#src/languages/registry.ts';
import { largest } from '#src/lib/extremes.ts';
import { getLanguage, LANGUAGE_CODES, type LanguageCode } from '#src/search/languages.ts';
import { splitIntoWords } from '#src/search/words.ts';

/**
 * Minimum number of letters of a chunk that may be in another language of the same script than its document.
 * `MIN_LETTERS` letters suffice to detect another script.
 */
const MIN_LONG_CHARACTERS = 400;
const MIN_LETTERS = 10;
const PARTS = 3;
/**
 * Factor by which the stop words of another language must outnumber those of the document's language for the
 * chunk to be in the other language.
 */
const STOP_WORD_FACTOR = 1.5;

const LATIN = /\p{sc=Latin}/gu;
const CYRILLIC = /\p{sc=Cyrillic}/gu;
const OTHER = /[^\P{L}\p{sc=Latin}\p{sc=Cyrillic}]/gu;

function getScriptPattern(language: string): RegExp {
  if (hasOwnScript(language)) return OTHER;
  return isCyrillic(language) ? CYRILLIC : LATIN;
}

/**
 * Returns the language of a chunk. This is the document's language, unless the chunk is clearly in another
 * script, or long and entirely in another language. With a wrong language, searches do not find inflected
 * forms of words.
 */
export function detectChunkLanguage(text: string, documentLanguage: string | undefined): string | undefined {
  const common = countStopWords(text);
  const expected = documentLanguage === undefined ? 0 : common(documentLanguage);
  // Counting stop words is much cheaper than detecting the language, and sufficient for nearly all chunks.
  if (expected > 0 && expected === common()) return documentLanguage;
  const detected = detectLanguage(text);
  if (detected === undefined || detected === documentLanguage) return documentLanguage;
  const script = getScriptPattern(detected);
  const isClear =
    documentLanguage === undefined || script === getScriptPattern(documentLanguage)
      ? isThroughout(text, detected) && common(detected) > STOP_WORD_FACTOR * expected
      : isMostly(text, script);
  return isClear ? detected : documentLanguage;
}

function isMostly(text: string, script: RegExp): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const own = text.match(script)?.length ?? 0;
  return own >= MIN_LETTERS && own > (2 / 3) * letters;
}

function isThroughout(text: string, language: string): boolean {
  const size = Math.ceil(text.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, i) => text.slice(i * size, (i + 1) * size));
  return text.length >= MIN_LONG_CHARACTERS && parts.every((part) => detectLanguage(part) === language);
}

let stopWords: Map<string, LanguageCode[]> | undefined;

/**
 * Returns a function that counts the stop words of a language in the text. If no language is given, the
 * function returns the highest count of all languages.
 */
function countStopWords(text: string): (code?: string) => number {
  if (stopWords === undefined) {
    stopWords = new Map();
    for (const code of LANGUAGE_CODES) {
      for (const word of new Set(getLanguage(code).stopWords.flatMap((each) => splitIntoWords(each)))) {
        stopWords.set(word, [...(stopWords.get(word) ?? []), code]);
      }
    }
  }
  const counts = new Map<string, number>();
  for (const word of splitIntoWords(text)) {
    for (const code of stopWords.get(word) ?? []) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return (code) => (code === undefined ? largest(counts.values(), 0) : (counts.get(code) ?? 0));
}
