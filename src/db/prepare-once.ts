import type { Database } from './client.ts';

/**
 * Returns a function that builds a statement at its first use and returns the same one for the same database afterwards.
 * Drizzle takes about a millisecond of CPU time to build a statement with many columns, which is longer than most
 * statements take to run. Values that differ between calls must be placeholders (`sql.placeholder`).
 */
export function prepareOnce<Statement>(build: (db: Database) => Statement): (db: Database) => Statement {
  const prepared = new WeakMap<Database, Statement>();
  return (db) => {
    const statement = prepared.get(db) ?? build(db);
    prepared.set(db, statement);
    return statement;
  };
}
