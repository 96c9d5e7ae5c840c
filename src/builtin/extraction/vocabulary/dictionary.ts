import { type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { splitIdentifier, splitWords } from '#src/lib/text/words.ts';
import type { WordWeight } from '../../word-weight.ts';
import { listProperties } from '../fields.ts';
import { findEnglishSynonyms, translate } from './meanings.ts';

/** Returns the English meanings of a folded word; undefined if the dictionary does not contain it. */
export type Dictionary = (word: string) => readonly string[] | undefined;

/**
 * Dictionaries for the words of the schema and the words of the document. Both may be in different languages.
 */
export interface Dictionaries {
  ofSchema: Dictionary;
  ofDocument: Dictionary;
}

export const createDictionaries = (schema: JsonSchema, sample: string, weight: WordWeight): Dictionaries => ({
  ofSchema: createDictionary(isEnglish(schema, weight), weight),
  ofDocument: createDictionary(detectLanguage(sample) === 'en', weight),
});

/** Weight below which a word counts as common English. Words of other languages almost always weigh more. */
const UNKNOWN_WORD_WEIGHT = 1;

/**
 * Common English words in an English schema are not translated. Otherwise "location" could be read as the
 * French word for a lease.
 */
const createDictionary =
  (english: boolean, weight: WordWeight): Dictionary =>
  (word) =>
    english && weight(word) < UNKNOWN_WORD_WEIGHT ? findEnglishSynonyms(word) : translate(word);

/**
 * Minimum length in letters of words that are used to detect the schema's language. Shorter words occur in
 * many languages.
 */
const MIN_WORD_LENGTH = 4;
const MAX_PARTS = 400;
const MAX_TEXT_LENGTH = 400;
/**
 * Minimum share of common English words, from 0 to 1, in an English schema. Schemas in other languages share
 * a few words with English.
 */
const MIN_ENGLISH_SHARE = 0.75;

/**
 * Returns whether a schema is written in English. Field names are too short for general language detection.
 */
function isEnglish(schema: JsonSchema, weight: WordWeight): boolean {
  const words = listSchemaWords(schema, schema, new Set()).filter((word) => word.length >= MIN_WORD_LENGTH);
  const known = words.filter((word) => weight(word) < UNKNOWN_WORD_WEIGHT).length;
  return words.length > 0 && known >= words.length * MIN_ENGLISH_SHARE;
}

/**
 * Returns the words of all names, titles and descriptions in a schema. Each shared definition is read once.
 */
function listSchemaWords(root: JsonSchema, schema: JsonSchema, seen: Set<JsonSchema>): string[] {
  const { schema: own } = resolve(root, schema);
  const words = [own.title, own.description].flatMap((text) =>
    typeof text === 'string' ? splitWords(text.slice(0, MAX_TEXT_LENGTH)) : [],
  );
  const inside: [string, JsonSchema][] = own.items ? [['', own.items]] : [];
  for (const [name, part] of [...inside, ...listProperties(root, own)]) {
    for (const each of splitIdentifier(name.slice(0, MAX_TEXT_LENGTH))) words.push(each);
    if (seen.size >= MAX_PARTS || seen.has(part)) continue;
    seen.add(part);
    for (const each of listSchemaWords(root, part, seen)) words.push(each);
  }
  return words;
}
