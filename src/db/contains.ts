import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { Invalid } from '#src/lib/errors.ts';

/** Most characters of a part that names are searched for. */
export const LONGEST_PART = 200;

/** An expression of D1 is at most a hundred deep, and the condition stands inside others. */
const MOST_SPELLINGS = 80;

/** Beyond this plane no script has letters of two cases but a few of historical interest. */
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
  // Letters and their accents only, so that none of them can end the quotes.
  const text = spellings.reduce(
    (inner, [spelling, letter]) =>
      sql`replace(${inner}, ${sql.raw(`'${spelling}'`)}, ${sql.raw(`'${letter}'`)})`,
    sql`lower(${column})`,
  );
  return sql`instr(${text}, ${wanted}) > 0`;
}

const folded = (text: string) => Array.from(text, foldedLetter).join('');

/** One spelling for all of a letter's: σ for Σ and ς too. A letter that has no single lower case stays as it is. */
function foldedLetter(letter: string): string {
  const lower = single(letter.toLowerCase()) ?? letter;
  const upper = single(lower.toUpperCase());
  return (upper && single(upper.toLowerCase())) ?? lower;
}

const single = (text: string) => (Array.from(text).length === 1 ? text : undefined);

/** The other spellings of a folded letter outside of ASCII, composed and decomposed. */
function spellingsOf(letter: string): string[] {
  if (letter <= '\u007f' || !/^[\p{L}\p{Nl}\p{So}]$/u.test(letter)) return [];
  const others = new Set(
    [letter, ...(cased().get(letter) ?? [])].flatMap((each) => [each, each.normalize('NFD')]),
  );
  // In the order in which the database meets them: it has made the ASCII part of decomposed letters small.
  const met = [...others].map((each) => each.replace(/[A-Z]/g, (ascii) => ascii.toLowerCase()));
  return [...new Set(met)].filter((each) => each !== letter);
}

let letters: Map<string, string[]> | undefined;

/** Letters outside of ASCII by the letter that they fold to, found once. */
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
