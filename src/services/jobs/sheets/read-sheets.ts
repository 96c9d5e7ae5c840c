import type { Context } from '#src/context/context.ts';
import type { Block } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { getPageFailure, type StoredPage } from '#src/documents/page-store.ts';
import { parseRange } from '#src/sheets/cell-range.ts';
import type { AppliedSheetsConfiguration } from '#src/sheets/configuration.ts';
import { cropToRange, type FoundRegion, findRegions, type SheetPart } from '#src/sheets/regions.ts';
import { iterateRanges, type ParsedDocument } from '../pages.ts';

/** Matches names of text files with separated values. Their only sheet has no name of its own. */
const SEPARATED_VALUES = /\.(?:csv|tsv|tab|txt)$/i;
const MAX_NAME = 255;

export interface ReadSheet {
  name: string;
  regions: FoundRegion[];
}

export const isSeparatedValues = (fileName: string): boolean => SEPARATED_VALUES.test(fileName);

/**
 * Returns the regions of all sheets that the configuration selects. `isPartial` is true if some sheets could
 * not be read. Throws ParseError if the file is no spreadsheet, or has none of the sheets.
 */
export async function readSheets(
  ctx: Context,
  document: ParsedDocument,
  configuration: AppliedSheetsConfiguration,
): Promise<{ sheets: ReadSheet[]; isPartial: boolean }> {
  const range = configuration.extraction_range ? parseRange(configuration.extraction_range) : undefined;
  const selected = configuration.sheet_names?.length ? new Set(configuration.sheet_names) : undefined;
  const sheets: ReadSheet[] = [];
  const names: string[] = [];
  let [isSpreadsheet, isPartial] = [false, false];
  for await (const pages of iterateRanges(ctx.bucket, document, {})) {
    for (const page of pages) {
      const parts = listParts(page);
      if (parts.length > 0) isSpreadsheet = true;
      if (getPageFailure(page) !== undefined) isPartial = true;
      const name = nameSheet(page, document);
      names.push(name);
      if (selected && !selected.has(name)) continue;
      const cropped = range && cropToRange(parts, range);
      const regions = range
        ? cropped
          ? [cropped]
          : []
        : findRegions(parts, configuration.table_merge_sensitivity);
      sheets.push({ name, regions });
    }
  }
  if (!isSpreadsheet) {
    throw new ParseError(
      'UNSUPPORTED_FILE_TYPE',
      'The file is no spreadsheet. Sheets jobs read XLSX, XLS, ODS, CSV and TSV files.',
    );
  }
  if (sheets.length === 0) {
    const known = names.slice(0, 20).join(', ');
    throw new ParseError(
      'NO_DATA_FOUND_IN_FILE',
      `The file has none of the sheet_names. Its sheets: ${known}`,
    );
  }
  return { sheets, isPartial };
}

function nameSheet(page: StoredPage, { name }: ParsedDocument): string {
  const own = isSeparatedValues(name) ? name.replace(SEPARATED_VALUES, '') : page.label;
  return own.slice(0, MAX_NAME) || `Sheet ${page.index + 1}`;
}

function listParts({ blocks }: StoredPage): SheetPart[] {
  return blocks.flatMap((block): SheetPart[] => {
    if (!block.cell) return [];
    const isText = block.type !== 'table';
    return [{ ...block.cell, rows: isText ? [[block.text]] : readRows(block), isText }];
  });
}

/** Returns the texts of a table's cells. A cell with a tab makes the plain text ambiguous, but not the Markdown. */
function readRows(block: Block): string[][] {
  const plain = block.text.split('\n').map((line) => line.split('\t'));
  const marked = blockRows(block);
  const width = marked[0]?.length ?? 0;
  return plain.length === marked.length && plain.every((row) => row.length === width) ? plain : marked;
}
