import { parquetWriteBuffer } from 'hyparquet-writer';
import type { TableColumn } from './table.ts';

/** Writes columns as a Parquet file. */
export function writeParquet(columns: readonly TableColumn[]): Uint8Array {
  const columnData = columns.map(({ name, type, values }) => ({ name, type, data: values, nullable: true }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
