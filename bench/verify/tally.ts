/**
 * Number of outputs of a kind, number of outputs in which something was found, and number of doubted outputs.
 */
export interface Counted {
  all: number;
  found: number;
  doubted: number;
}

const addUp = (rows: Iterable<Counted>): Counted => {
  const sum = { all: 0, found: 0, doubted: 0 };
  for (const { all, found, doubted } of rows) {
    sum.all += all;
    sum.found += found;
    sum.doubted += doubted;
  }
  return sum;
};

/** Tables of outputs by kind and by language. */
export class Tally {
  private readonly tables = new Map<string, Map<string, Counted>>();

  count(table: string, row: string, isFound: boolean, isDoubted: boolean) {
    const rows = this.tables.get(table) ?? new Map<string, Counted>();
    this.tables.set(table, rows);
    const one = { all: 1, found: Number(isFound), doubted: Number(isDoubted) };
    rows.set(row, addUp([rows.get(row) ?? { all: 0, found: 0, doubted: 0 }, one]));
  }

  print(doubtedBelow: number) {
    for (const [table, rows] of this.tables) {
      const found = table.startsWith('true') ? 'with a span' : 'detected';
      const all = [...rows, ['all', addUp(rows.values())] as const];
      console.log(`\n${table}`);
      console.table(
        Object.fromEntries(
          all.map(([row, counted]) => [
            row,
            {
              outputs: counted.all,
              [found]: (counted.found / counted.all).toFixed(3),
              [`confidence < ${doubtedBelow}`]: (counted.doubted / counted.all).toFixed(3),
            },
          ]),
        ),
      );
    }
  }
}
