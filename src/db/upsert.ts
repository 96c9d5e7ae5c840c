/**
 * Updates the row with a name, or creates it if there is none. Names need not be unique in the table.
 * `insert` creates a row under an id that is derived from the name, and returns `undefined` if a row has this
 * id. Of two concurrent calls, one therefore creates the row and the other updates it.
 */
export async function upsertByName<Row>(steps: {
  find(): Promise<Row | undefined>;
  update(row: Row): Promise<Row>;
  insert(): Promise<Row | undefined>;
  create(): Promise<Row>;
}): Promise<Row> {
  const existing = await steps.find();
  if (existing) return steps.update(existing);
  const inserted = await steps.insert();
  if (inserted) return inserted;
  const other = await steps.find();
  // If no row is found, the row with the derived id was renamed, so a row with a random id is created.
  return other ? steps.update(other) : steps.create();
}
