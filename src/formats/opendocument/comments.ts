import type { ShownComment } from '#src/formats/shared/flow/comments.ts';
import { cellName } from '#src/formats/shared/sheets/fill-formulas.ts';
import { child, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { odfRows, parseRepeat } from './rows.ts';

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

/** Reads the comments of a sheet with the names of their cells. */
export function readSheetAnnotations(table: XmlElement): ShownComment[] {
  const found: ShownComment[] = [];
  let rowIndex = 0;
  for (const row of odfRows(table)) {
    let column = 0;
    for (const cell of elements(row)) {
      for (const annotation of elements(cell, 'office:annotation')) {
        found.push({ ...readAnnotation(annotation), place: cellName(rowIndex, column) });
      }
      column += parseRepeat(cell.attributes['table:number-columns-repeated']);
    }
    rowIndex += parseRepeat(row.attributes['table:number-rows-repeated']);
  }
  return found;
}
