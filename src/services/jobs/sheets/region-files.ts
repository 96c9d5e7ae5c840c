import { parquetWriteBuffer } from 'hyparquet-writer';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { SheetsJob } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { listCellDetails } from '#src/sheets/cell-details.ts';
import type { AppliedSheetsConfiguration } from '#src/sheets/configuration.ts';
import { buildTable, type TableColumn } from '#src/sheets/table.ts';
import { encodeCsvRow } from '../batches/csv.ts';
import type { StoredRegions } from './perform-sheets.ts';

export const REGION_VIEWS = ['table', 'extra', 'cell_metadata'] as const;
/** Content of a region's file: its table, its cells outside of tables, or one row per cell. */
export type RegionView = (typeof REGION_VIEWS)[number];

export const REGION_FORMATS = {
  parquet: { contentType: 'application/vnd.apache.parquet', extension: 'parquet', write: writeParquet },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', write: writeCsv },
} as const satisfies Record<
  string,
  { contentType: string; extension: string; write: (columns: TableColumn[]) => Uint8Array }
>;
export type RegionFormat = keyof typeof REGION_FORMATS;
export const REGION_FORMAT_NAMES = Object.keys(REGION_FORMATS) as [RegionFormat, ...RegionFormat[]];

export const isRegionFormat = (name: string): name is RegionFormat => Object.hasOwn(REGION_FORMATS, name);
export const isRegionView = (name: string): name is RegionView => REGION_VIEWS.some((view) => view === name);

/**
 * Throws Conflict if the job has not completed, and NotFound if it has no such region or the region is not of
 * the requested type.
 */
export function requireRegion(job: SheetsJob, regionId: string, view: RegionView): void {
  if (!job.result) {
    throw new Conflict(`Sheets job ${job.id} has no result (status: ${job.status}).`);
  }
  const region = job.result.regions.find(({ id }) => id === regionId);
  if (!region) throw new NotFound('Region', regionId);
  if (view !== 'cell_metadata' && view !== region.type) {
    throw new NotFound(`Result of type ${view} of region`, regionId);
  }
}

/** Returns the file of a region, which is written from the stored cells. */
export async function writeRegion(
  ctx: Context,
  job: SheetsJob,
  regionId: string,
  view: RegionView,
  format: RegionFormat,
): Promise<Uint8Array> {
  requireRegion(job, regionId, view);
  const object = await ctx.bucket.get(keys.jobResult(job.projectId, job.id));
  const stored = await object?.json<StoredRegions>();
  const block = stored && Object.hasOwn(stored.regions, regionId) ? stored.regions[regionId] : undefined;
  if (!stored || !block) throw new NotFound('Result of region', regionId);
  const { flatten_hierarchical_tables: flatten } = job.configuration as AppliedSheetsConfiguration;
  const options = { flatten, hasGroupedNumbers: stored.hasGroupedNumbers };
  const columns =
    view === 'cell_metadata' ? listCellDetails(block, options) : buildTable(block.rows, options).columns;
  return REGION_FORMATS[format].write(columns);
}

function writeParquet(columns: readonly TableColumn[]): Uint8Array {
  const columnData = columns.map(({ name, type, values }) => ({ name, type, data: values, nullable: true }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function writeCsv(columns: readonly TableColumn[]): Uint8Array {
  const rows = columns[0]?.values.map((_, at) => encodeCsvRow(columns.map(({ values }) => values[at]))) ?? [];
  return new TextEncoder().encode(encodeCsvRow(columns.map(({ name }) => name)) + rows.join(''));
}
