/** Maximum number of parameters of one SQL statement on Cloudflare. */
export const MAX_PARAMETERS = 100;

/**
 * Inserts rows with as few statements as possible. A statement costs several times more than a row, so this is much
 * faster than one statement per row. `insert` is the statement before `VALUES`, and `suffix` the rest of the statement
 * after the rows. Returns what the statements return.
 */
export function insertRows<Returned extends Record<string, SqlStorageValue>>(
  sql: SqlStorage,
  insert: string,
  rows: readonly (readonly SqlStorageValue[])[],
  suffix = '',
): Returned[] {
  const [first] = rows;
  if (first === undefined) return [];
  const rowsPerStatement = Math.floor(MAX_PARAMETERS / first.length);
  const placeholders = `(${first.map(() => '?').join(', ')})`;
  const returned: Returned[] = [];
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows.slice(from, from + rowsPerStatement);
    const values = some.map(() => placeholders).join(', ');
    for (const row of sql.exec<Returned>(`${insert} VALUES ${values} ${suffix}`, ...some.flat()))
      returned.push(row);
  }
  return returned;
}
