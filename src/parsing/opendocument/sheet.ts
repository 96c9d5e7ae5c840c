import type { TakeCells } from '#src/parsing/sheets/budget.ts';
import { elements, textOf, type XmlElement } from '#src/parsing/xml.ts';
import { odfRows } from './text.ts';

/** Filled cells repeated more often than this are decoration, or an attack. */
const MAX_REPEAT = 10_000;

const times = (value: string | undefined) => Math.max(1, Math.trunc(Number(value ?? 1)) || 1);

function cellText(cell: XmlElement): string {
  const shown = elements(cell, 'text:p').map(textOf).join('\n').trim();
  const { attributes } = cell;
  if (attributes['office:value-type'] === 'date') {
    const date = (attributes['office:date-value'] ?? shown).replace('T', ' ');
    return date.replace(/ 00:00(?::00(?:\.0+)?)?$/, '');
  }
  if (shown === '' && attributes['table:formula']) {
    return attributes['office:value'] ?? `=${attributes['table:formula'].replace(/^(?:of|oooc):=/, '')}`;
  }
  return shown;
}

/** A sheet's filled cells; repeated empty rows and columns only move the position on. */
export function readOdfSheet(
  table: XmlElement,
  isHiddenRow: (row: XmlElement) => boolean,
  takeCells: TakeCells,
): Map<number, string[]> {
  const rows = new Map<number, string[]>();
  let rowIndex = 0;
  for (const row of odfRows(table)) {
    const repeat = times(row.attributes['table:number-rows-repeated']);
    const cells: string[] = [];
    let column = 0;
    for (const cell of elements(row)) {
      if (!cell.name.startsWith('table:')) continue;
      const wide = times(cell.attributes['table:number-columns-repeated']);
      const text = cell.name === 'table:table-cell' ? cellText(cell) : '';
      if (text !== '') for (let at = 0; at < Math.min(wide, MAX_REPEAT); at++) cells[column + at] = text;
      column += wide;
    }
    if (cells.length > 0 && !isHiddenRow(row)) {
      for (let at = 0; at < Math.min(repeat, MAX_REPEAT); at++) rows.set(rowIndex + at, cells);
      takeCells(cells.filter(Boolean).length * Math.min(repeat, MAX_REPEAT));
    }
    rowIndex += repeat;
  }
  return rows;
}
