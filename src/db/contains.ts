import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { Invalid } from '#src/lib/errors.ts';

/** Maximum characters of a searched part of a name. */
export const LONGEST_PART = 200;

/**
 * Maximum number of nested replacements. D1 limits the depth of an expression to one hundred, and the
 * condition stands inside others.
 */
const MOST_SPELLINGS = 80;

/** Last code point with upper and lower case, except for a few historic scripts. */
const LAST_CASED = 0x1e943;

/**
 * Whether the text in the column contains `part`, regardless of case in every script. SQLite's own `lower` knows
 * ASCII only: the spellings of each further letter of `part` are replaced by its lower case one. `loc` is where an
 * error says that `part` came from.
 */
export function containsRegardlessOfCase(column: SQLiteColumn, part: string, loc: string[]): SQL {
  const wanted = folded(part.normalize('NFC'));
  const spellings = [...new Set(wanted)].flatMap((letter) =>
    spellingsOf(letter).map((spelling) => [spelling, letter] as const),
  );
  if (spellings.length > MOST_SPELLINGS) {
    const msg = 'Value error, has too many different letters to look for';
    throw new Invalid([{ loc, msg, type: 'value_error', input: part }]);
  }
  // Contains only letters and accents, so that no spelling can end the quotes.
  const text = spellings.reduce(
    (inner, [spelling, letter]) =>
      sql`replace(${inner}, ${sql.raw(`'${spelling}'`)}, ${sql.raw(`'${letter}'`)})`,
    sql`lower(${column})`,
  );
  return sql`instr(${text}, ${wanted}) > 0`;
}

const folded = (text: string) => Array.from(text, foldedLetter).join('');

/**
 * Returns one spelling for all forms of a letter, such as σ for Σ and ς. A letter without a single lower-case
 * form stays unchanged.
 */
function foldedLetter(letter: string): string {
  const lower = single(letter.toLowerCase()) ?? letter;
  const upper = single(lower.toUpperCase());
  return (upper && single(upper.toLowerCase())) ?? lower;
}

const single = (text: string) => (Array.from(text).length === 1 ? text : undefined);

/** Returns the other spellings of a folded non-ASCII letter, composed and decomposed. */
function spellingsOf(letter: string): string[] {
  if (letter <= '\u007f' || !/^[\p{L}\p{Nl}\p{So}]$/u.test(letter)) return [];
  const others = new Set(
    [letter, ...(cased().get(letter) ?? [])].flatMap((each) => [each, each.normalize('NFD')]),
  );
  // Ordered as the database meets them, after it has lowered the ASCII part of decomposed letters.
  const met = [...others].map((each) => each.replace(/[A-Z]/g, (ascii) => ascii.toLowerCase()));
  return [...new Set(met)].filter((each) => each !== letter);
}

let letters: Map<string, string[]> | undefined;

/** Non-ASCII letters by the letter they fold to, computed once. */
function cased(): Map<string, string[]> {
  if (letters) return letters;
  letters = new Map();
  for (let code = 0x80; code <= LAST_CASED; code += 1) {
    const letter = String.fromCodePoint(code);
    if (!/\p{Changes_When_Casemapped}/u.test(letter)) continue;
    const to = foldedLetter(letter);
    if (to !== letter) letters.set(to, [...(letters.get(to) ?? []), letter]);
  }
  return letters;
}
