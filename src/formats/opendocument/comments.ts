import type { ShownComment } from '#src/formats/shared/flow/comments.ts';
import { child, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { odfRows } from './rows.ts';

/** Reads a comment. Its author is missing if the file does not name one. */
export function readAnnotation(annotation: XmlElement): ShownComment {
  const lines = elements(annotation).filter(({ name }) => name === 'text:p' || name === 'text:list');
  const isReply = Object.keys(annotation.attributes).some((name) => name.endsWith(':parent-name'));
  return {
    author: getTextContent(child(annotation, 'dc:creator')).trim(),
    isReply,
    runs: [{ text: lines.map(getTextContent).join('\n').trim() }],
  };
}

const repeatCount = (value: string | undefined) => Math.max(1, Math.trunc(Number(value ?? 1)) || 1);

/** Returns the letters that name a column, by the 0-based index of the column. */
function nameColumn(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** Reads the comments of a sheet with the names of their cells. */
export function readSheetAnnotations(table: XmlElement): ShownComment[] {
  const found: ShownComment[] = [];
  let rowIndex = 0;
  for (const row of odfRows(table)) {
    let column = 0;
    for (const cell of elements(row)) {
      for (const annotation of elements(cell, 'office:annotation')) {
        found.push({ ...readAnnotation(annotation), place: `${nameColumn(column)}${rowIndex + 1}` });
      }
      column += repeatCount(cell.attributes['table:number-columns-repeated']);
    }
    rowIndex += repeatCount(row.attributes['table:number-rows-repeated']);
  }
  return found;
}
