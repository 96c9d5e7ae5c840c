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
 * A row that names another one and outlives it keeps the release before, which knows nothing of it, from deleting that
 * one.
 */
const REFERENCE = /\bREFERENCES\b/gi;
const YIELDING = /\bON DELETE (?:CASCADE|SET NULL)\b/gi;

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
    if (isSeveral(statement) || holdsOn(statement)) return false;
    const unique = UNIQUE.exec(statement)?.[1];
    return (unique && made.has(unique)) || ADDITIONS.some((addition) => addition.test(statement));
  };
  return statements.filter((statement) => !isAddition(statement));
}

/** Of several in one piece only the first would be looked at. The statements of a trigger are within it. */
const isSeveral = (statement: string) =>
  !/^CREATE TRIGGER /i.test(statement) && statement.replace(/;$/, '').includes(';');

const holdsOn = (statement: string) =>
  /^(?:CREATE TABLE|ALTER TABLE) /i.test(statement) &&
  timesOf(REFERENCE, statement) > timesOf(YIELDING, statement);

const timesOf = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0;
