/**
 * Updates the row with a given name, or creates the row if none exists. `insert` derives the new row's id
 * from the name, and returns `undefined` if this id exists. Two concurrent calls therefore create only one
 * row.
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
  // Without a match, the row with the derived id must have been renamed. A row with a random id is created
  // then.
  return other ? steps.update(other) : steps.create();
}
