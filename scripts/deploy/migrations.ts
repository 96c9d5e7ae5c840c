import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of a folder's migrations, in their order. */
export const migrationsIn = (folder: string): string[] => globSync('*.sql', { cwd: folder }).toSorted();

/** Statements that take nothing from a release that knows nothing of them. */
const ADDITIONS: readonly RegExp[] = [
  /^CREATE TABLE (?!`?__new_)/i,
  /^CREATE INDEX /i,
  // It follows what that release writes, and refuses nothing of it.
  /^CREATE TRIGGER \S+ AFTER (?!.*\bRAISE\b)/is,
  /^ALTER TABLE \S+ ADD (?:COLUMN )?(?!.*\bNOT NULL\b)/is,
  /^ALTER TABLE \S+ ADD (?:COLUMN )?.*\bDEFAULT\b/is,
];

/**
 * The statements of a migration that the release before may not survive: it reads and writes tables as they were, so
 * that only tables, indexes and triggers that forbid nothing, and columns that it may leave out can be added under it.
 */
export function breakingStatements(sql: string): string[] {
  return sql
    .split('--> statement-breakpoint')
    .map((statement) => statement.replaceAll(/^--.*$/gm, '').trim())
    .filter((statement) => statement !== '' && !ADDITIONS.some((addition) => addition.test(statement)));
}

/** Whether the deployed release can be gone back to once these migrations are applied. */
export function wayBack(
  folder: string,
  pending: readonly string[],
  release: string | undefined,
): string | undefined {
  if (pending.length === 0 || release === undefined) return undefined;
  const breaking = pending.flatMap((name) =>
    breakingStatements(readFileSync(join(folder, name), 'utf8')).map(
      (sql) => `${name}: ${sql.slice(0, 120)}`,
    ),
  );
  if (breaking.length === 0) {
    return `Release ${release}, which is deployed, can still run on the migrated data: the migrations only add.`;
  }
  return [
    `Release ${release}, which is deployed, may not run on the migrated data, so that going back needs a backup:`,
    ...breaking.map((line) => `  ${line}`),
  ].join('\n');
}
