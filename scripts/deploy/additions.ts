/** Statements that take nothing from a release that knows nothing of them. */
const ADDITIONS: readonly RegExp[] = [
  /^CREATE TABLE (?!`?__new_)/i,
  /^CREATE INDEX /i,
  // It follows what that release writes, and refuses nothing of it.
  /^CREATE TRIGGER \S+ AFTER (?!.*\bRAISE\b)/is,
  /^ALTER TABLE \S+ ADD (?:COLUMN )?(?!.*\bNOT NULL\b)/is,
  /^ALTER TABLE \S+ ADD (?:COLUMN )?.*\bDEFAULT\b/is,
];

/** The table that a statement makes, or on which it lays an index that allows no two alike. */
const MADE = /^CREATE TABLE `?(\w+)/i;
const UNIQUE = /^CREATE UNIQUE INDEX \S+ ON `?(\w+)/i;

/**
 * The statements of a migration that the release before may not survive: it reads and writes tables as they were, so
 * that only tables, indexes and triggers that forbid it nothing, and columns that it may leave out can be added under it.
 */
export function breakingStatements(sql: string): string[] {
  const statements = sql
    .split('--> statement-breakpoint')
    .map((statement) => statement.replaceAll(/^--.*$/gm, '').trim())
    .filter((statement) => statement !== '');
  const made = new Set(statements.map((statement) => MADE.exec(statement)?.[1]));
  const isAddition = (statement: string) => {
    const unique = UNIQUE.exec(statement)?.[1];
    return (unique && made.has(unique)) || ADDITIONS.some((addition) => addition.test(statement));
  };
  return statements.filter((statement) => !isAddition(statement));
}
