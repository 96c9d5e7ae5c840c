/** Matches SQL statements that add something to the database without breaking the previous release. */
const ADDITIONS: readonly RegExp[] = [
  /^CREATE TABLE (?!`?__new_)/i,
  /^CREATE INDEX /i,
  // A trigger that runs after writes of the previous release and never rejects them.
  /^CREATE TRIGGER \S+ AFTER (?!.*\bRAISE\b)/is,
  /^ALTER TABLE \S+ ADD (?:COLUMN )?(?!.*\bNOT NULL\b)/is,
  /^ALTER TABLE \S+ ADD (?:COLUMN )?.*\bDEFAULT\b/is,
];

/**
 * Matches foreign keys. The previous release does not know a new foreign key. Without ON DELETE CASCADE or
 * SET NULL, the key would keep that release from deleting the referenced row.
 */
const REFERENCE = /\bREFERENCES\b/gi;
const NON_RESTRICTING = /\bON DELETE (?:CASCADE|SET NULL)\b/gi;

/** Matches the table that a statement creates, or the table of a unique index. */
const CREATED_TABLE = /^CREATE TABLE `?(\w+)/i;
const UNIQUE_INDEX = /^CREATE UNIQUE INDEX \S+ ON `?(\w+)/i;

/**
 * Returns the statements of a migration that may break the previous release, which still reads and writes the
 * old tables. Only additions are safe: tables, indexes and triggers that reject none of its writes, and
 * columns that it may omit.
 */
export function findBreakingStatements(sql: string): string[] {
  const statements = sql
    .split('--> statement-breakpoint')
    .map((statement) => statement.replaceAll(/^--.*$/gm, '').trim())
    .filter((statement) => statement !== '');
  const made = new Set(statements.map((statement) => CREATED_TABLE.exec(statement)?.[1]));
  const isAddition = (statement: string) => {
    if (hasSeveralStatements(statement) || hasRestrictingReference(statement)) return false;
    const unique = UNIQUE_INDEX.exec(statement)?.[1];
    return (unique && made.has(unique)) || ADDITIONS.some((addition) => addition.test(statement));
  };
  return statements.filter((statement) => !isAddition(statement));
}

/**
 * Returns true if the text contains several SQL statements, because only the first would be checked.
 * Statements inside a trigger belong to the trigger.
 */
const hasSeveralStatements = (statement: string) =>
  !/^CREATE TRIGGER /i.test(statement) && statement.replace(/;$/, '').includes(';');

const hasRestrictingReference = (statement: string) =>
  /^(?:CREATE TABLE|ALTER TABLE) /i.test(statement) &&
  countMatches(REFERENCE, statement) > countMatches(NON_RESTRICTING, statement);

const countMatches = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0;
