export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function computeRecall(found: string[][], exact: string[][]): number {
  const shares = exact.map((ids, i) => ids.filter((id) => found[i]?.includes(id)).length / ids.length);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

export function printTable(rows: Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => String(row[column] ?? '')));
  const widths = columns.map((column, i) => Math.max(column.length, ...cells.map((row) => row[i]!.length)));
  for (const row of [columns, widths.map((width) => '-'.repeat(width)), ...cells]) {
    console.log(`| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`);
  }
}

export type Row = Record<string, string | number>;

export const fixed = (value: number) => value.toFixed(value < 10 ? 2 : 0);

export function row(engine: string, mode: string, milliseconds: number[], recall?: number): Row {
  return {
    engine,
    mode,
    'p50 ms': fixed(percentile(milliseconds, 0.5)),
    'p95 ms': fixed(percentile(milliseconds, 0.95)),
    'recall@10': recall === undefined ? '' : recall.toFixed(3),
  };
}
