import { type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { nameWords, wordsOf } from '#src/lib/text/words.ts';
import type { WordWeight } from '../../word-weight.ts';
import { propertiesOf } from '../fields.ts';
import { inEnglish, translated } from './meanings.ts';

/** What a folded word means in English words; undefined of a word that only means itself. */
export type Dictionary = (word: string) => readonly string[] | undefined;

/** The words of the schema and those of the document may be of two languages. */
export interface Dictionaries {
  asked: Dictionary;
  printed: Dictionary;
}

export const dictionariesOf = (schema: JsonSchema, sample: string, weight: WordWeight): Dictionaries => ({
  asked: dictionaryFor(isEnglish(schema, weight), weight),
  printed: dictionaryFor(detectLanguage(sample) === 'en', weight),
});

/** The commonest English words have a weight below this, and hardly any of other languages. */
const UNKNOWN = 1;

/** "Location" is no lease and "corporate" no rate to who writes English. */
const dictionaryFor =
  (english: boolean, weight: WordWeight): Dictionary =>
  (word) =>
    english && weight(word) < UNKNOWN ? inEnglish(word) : translated(word);

/** Shorter words are written in many languages. */
const SHORTEST = 4;
const MOST_PARTS = 400;
const LONGEST_TEXT = 400;
/** Share of its words that English has: names of fields in other languages share a few with it. */
const LEAST_ENGLISH = 0.75;

/** Names alone are too short for what tells the language of texts. */
function isEnglish(schema: JsonSchema, weight: WordWeight): boolean {
  const words = wordsAsked(schema, schema, new Set()).filter((word) => word.length >= SHORTEST);
  const known = words.filter((word) => weight(word) < UNKNOWN).length;
  return words.length > 0 && known >= words.length * LEAST_ENGLISH;
}

/** The words of names, titles and descriptions; what schemas refer to is read once. */
function wordsAsked(root: JsonSchema, schema: JsonSchema, seen: Set<JsonSchema>): string[] {
  const { schema: own } = resolve(root, schema);
  const said = [own.title, own.description].flatMap((text) =>
    typeof text === 'string' ? wordsOf(text.slice(0, LONGEST_TEXT)) : [],
  );
  const inside: [string, JsonSchema][] = own.items ? [['', own.items]] : [];
  for (const [name, part] of [...inside, ...propertiesOf(root, own)]) {
    for (const each of nameWords(name.slice(0, LONGEST_TEXT))) said.push(each);
    if (seen.size >= MOST_PARTS || seen.has(part)) continue;
    seen.add(part);
    for (const each of wordsAsked(root, part, seen)) said.push(each);
  }
  return said;
}
