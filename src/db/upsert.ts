/**
 * Update-or-create by name where names need not be unique. `insert` makes the row under an id that follows
 * from the name and gives undefined when that id is taken: of two equal calls at once, one creates and the
 * other one updates.
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
  // The row with that id has been renamed since.
  return other ? steps.update(other) : steps.create();
}
