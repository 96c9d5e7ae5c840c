import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { SheetsJob, SheetsResult } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { countCredits } from '#src/extraction/credits.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { formatCount } from '#src/lib/text/format-count.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { formatRange } from '#src/sheets/cell-range.ts';
import {
  type AppliedSheetsConfiguration,
  applySheetsDefaults,
  sheetsConfiguration,
} from '#src/sheets/configuration.ts';
import { type CellBlock, type FoundRegion, getRange } from '#src/sheets/regions.ts';
import { buildTable, describeTable } from '#src/sheets/table.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { fetchInput } from '../fetch-input.ts';
import { openDocument } from '../open-document.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';
import { isSeparatedValues, type ReadSheet, readSheets } from './read-sheets.ts';

/** Maximum number of regions per job. Their descriptions are stored in the row of the job. */
const MAX_REGIONS = 2_000;

/** Cells of the regions of a job by region id, as they are stored in the bucket. */
export interface StoredRegions {
  /** True if numbers have commas between thousands. */
  hasGroupedNumbers: boolean;
  regions: Record<string, CellBlock>;
}

export async function performSheets(
  ctx: Context,
  job: SheetsJob,
  hold: HeldLease,
  quota: JobPages,
): Promise<FinishedWork> {
  quota.require();
  const configuration = applySheetsDefaults(
    parseInput(sheetsConfiguration, job.configuration, ['configuration']),
  );
  const source = job.documentInputType === 'url' ? await fetchInput(ctx, 'sheets', job, hold) : job;
  const parameters = parseParameters.parse({
    spreadsheet_extract_sub_tables: true,
    ...(configuration.include_hidden_cells
      ? { spreadsheet_include_hidden_sheets: true }
      : { remove_hidden_text: true }),
  });
  const { document, parseJobId, inserts } = await openDocument(ctx, 'sheets', source, parameters, hold);
  await quota.take(document.pageCount);
  await hold.checkpoint('finding regions');
  const { sheets, isPartial } = await readSheets(ctx, document, configuration);
  const hasGroupedNumbers = !isSeparatedValues(document.name);
  const { result, stored } = describeSheets(sheets, configuration, hasGroupedNumbers);
  await hold.checkpoint('writing the tables');
  await ctx.bucket.put(keys.jobResult(job.projectId, job.id), JSON.stringify(stored));
  const { pageCount } = document;
  return {
    columns: { parseJobId, fileId: source.fileId, result },
    result: { regions: result.regions.length, sheets: result.worksheets.length },
    partial: isPartial,
    rowsToInsert: [
      ...inserts,
      await buildUsageRow('sheets', job, pageCount, countCredits('sheets', pageCount)),
    ],
  };
}

function describeSheets(
  sheets: readonly ReadSheet[],
  configuration: AppliedSheetsConfiguration,
  hasGroupedNumbers: boolean,
): { result: SheetsResult; stored: StoredRegions } {
  const count = sheets.reduce((sum, { regions }) => sum + regions.length, 0);
  if (count > MAX_REGIONS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The file has ${count} regions. The limit is ${MAX_REGIONS}. Select sheets with sheet_names.`,
    );
  }
  const isDescribed = configuration.generate_additional_metadata;
  const options = { flatten: configuration.flatten_hierarchical_tables, hasGroupedNumbers };
  const result: SheetsResult = { regions: [], worksheets: [] };
  const stored: StoredRegions = { hasGroupedNumbers, regions: {} };
  for (const { name, regions } of sheets) {
    for (const region of regions) {
      const id = `region-${result.regions.length + 1}`;
      const { row, column, rows } = region;
      stored.regions[id] = { row, column, rows };
      result.regions.push({
        id,
        sheetName: name,
        location: formatRange(getRange(region)),
        type: region.type,
        title: isDescribed ? region.title : null,
        description: isDescribed ? describeTable(buildTable(rows, options)) : null,
      });
    }
    result.worksheets.push({
      sheetName: name,
      title: isDescribed ? (regions.find(({ title }) => title !== null)?.title ?? null) : null,
      description: isDescribed ? describeSheet(regions) : null,
    });
  }
  return { result, stored };
}

function describeSheet(regions: readonly FoundRegion[]): string {
  const tables = regions.filter(({ type }) => type === 'table').length;
  return `${formatCount(tables, 'table')} and ${formatCount(regions.length - tables, 'other region')}`;
}
