import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';

/** Maximum length of a folder's path in characters, and maximum number of its nested folders. */
export const MAX_FOLDER_CHARACTERS = 1_000;
export const MAX_FOLDER_DEPTH = 50;

/** Control characters, line separators, and characters that change the direction of text. */
export const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/**
 * Schema of a folder's path. Slashes at the ends, repeated slashes and spaces around names are removed. The
 * root is an empty string.
 */
export const folderPath = z
  .string()
  .max(2 * MAX_FOLDER_CHARACTERS)
  .overwrite((path) =>
    path
      .normalize('NFC')
      .split('/')
      .map((name) => name.trim())
      .filter(Boolean)
      .join('/'),
  )
  .refine((path) => path.length <= MAX_FOLDER_CHARACTERS, {
    error: `must have at most ${MAX_FOLDER_CHARACTERS} characters`,
  })
  .refine((path) => path.split('/').length <= MAX_FOLDER_DEPTH, {
    error: `must have at most ${MAX_FOLDER_DEPTH} nested folders`,
  })
  .refine((path) => !path.split('/').some((name) => name === '.' || name === '..'), {
    error: 'must not contain a folder named . or ..',
  })
  .refine((path) => path.isWellFormed() && !path.includes('\\') && !UNPRINTABLE.test(path), {
    error: 'must not contain backslashes or characters that cannot be printed',
  })
  .meta({ examples: ['reports/2026'] });

/** Returns the SQL condition that a path lies below a folder, at any depth. */
export function isBelowFolder(column: SQLiteColumn, folder: string): SQL {
  if (folder === '') return sql`${column} > ''`;
  // The range reads an index. `0` is the character after the slash.
  return sql`${column} >= ${`${folder}/`} and ${column} < ${`${folder}0`}`;
}

/** Returns the SQL condition that a path is a folder or lies below it. `plus` keeps SQLite from using an index. */
export function isWithinFolder(column: SQL, folder: string): SQL | undefined {
  if (folder === '') return undefined;
  const within = sql`(${column} = ${folder} or substr(${column}, 1, length(${folder}) + 1) = ${`${folder}/`})`;
  return sql`${column} >= ${folder} and ${column} < ${`${folder}0`} and ${within}`;
}
