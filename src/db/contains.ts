import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { Invalid } from '#src/lib/errors.ts';

/** Maximum length of a search text in characters. */
export const MAX_NAME_PART_CHARACTERS = 200;

/**
 * Maximum number of nested `replace` calls in an SQL expression. D1 limits the depth of expressions to 100,
 * and this condition is part of larger ones.
 */
const MAX_SPELLINGS = 80;

/** Last code point of a letter with upper and lower case, apart from a few historic scripts. */
const LAST_CASED_CODE_POINT = 0x1e943;

/**
 * Returns the SQL condition that a column contains `part`, ignoring case in every script. SQLite's `lower`
 * only converts ASCII letters, so nested `replace` calls convert the other letters of `part`. Error messages
 * name `loc` as the location of `part`.
 */
export function containsRegardlessOfCase(column: SQLiteColumn, part: string, loc: string[]): SQL {
  const wanted = foldCase(part.normalize('NFC'));
  const spellings = [...new Set(wanted)].flatMap((letter) =>
    listOtherSpellings(letter).map((spelling) => [spelling, letter] as const),
  );
  if (spellings.length > MAX_SPELLINGS) {
    const msg = 'Value error, contains too many different letters to search for; use a shorter text';
    throw new Invalid([{ loc, msg, type: 'value_error', input: part }]);
  }
  // It is safe to insert `spelling` and `letter` into the SQL. Both consist only of letters and accents, so
  // they cannot end the quotes.
  const text = spellings.reduce(
    (inner, [spelling, letter]) =>
      sql`replace(${inner}, ${sql.raw(`'${spelling}'`)}, ${sql.raw(`'${letter}'`)})`,
    sql`lower(${column})`,
  );
  return sql`instr(${text}, ${wanted}) > 0`;
}

const foldCase = (text: string) => Array.from(text, foldLetterCase).join('');

/**
 * Returns a common form for all case forms of a letter, such as σ for Σ and ς. Letters whose lower-case form
 * is not a single letter stay unchanged.
 */
function foldLetterCase(letter: string): string {
  const lower = asSingleLetter(letter.toLowerCase()) ?? letter;
  const upper = asSingleLetter(lower.toUpperCase());
  return (upper && asSingleLetter(upper.toLowerCase())) ?? lower;
}

const asSingleLetter = (text: string) => (Array.from(text).length === 1 ? text : undefined);

/**
 * Returns the other ways to write a case-folded letter outside ASCII: upper case, and an accent as a separate
 * character.
 */
function listOtherSpellings(letter: string): string[] {
  if (letter <= '\u007f' || !/^[\p{L}\p{Nl}\p{So}]$/u.test(letter)) return [];
  const others = new Set(
    [letter, ...(getCasedLetters().get(letter) ?? [])].flatMap((each) => [each, each.normalize('NFD')]),
  );
  // SQLite's `lower` has already converted ASCII letters, even those followed by a separate accent.
  const lowered = [...others].map((each) => each.replace(/[A-Z]/g, (ascii) => ascii.toLowerCase()));
  return [...new Set(lowered)].filter((each) => each !== letter);
}

let casedLetters: Map<string, string[]> | undefined;

/** Returns letters outside ASCII, grouped by the letter to which they fold. The map is computed once. */
function getCasedLetters(): Map<string, string[]> {
  if (casedLetters) return casedLetters;
  casedLetters = new Map();
  for (let code = 0x80; code <= LAST_CASED_CODE_POINT; code += 1) {
    const letter = String.fromCodePoint(code);
    if (!/\p{Changes_When_Casemapped}/u.test(letter)) continue;
    const to = foldLetterCase(letter);
    if (to !== letter) casedLetters.set(to, [...(casedLetters.get(to) ?? []), letter]);
  }
  return casedLetters;
}
