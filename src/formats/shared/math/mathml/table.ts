import { elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { localName } from '../local-name.ts';
import type { MathNode, TableNode } from '../nodes.ts';

/** Returns the number of an equation without the brackets around it. */
export const readTag = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[()[\]{}\\$]/g, '')
    .trim()
    .slice(0, 40);

/**
 * Reads an element `mtable`. Tables whose columns are aligned at a relation sign are equations. The label of
 * a row becomes the number of its equation.
 */
export function readTable(element: XmlElement, readCell: (cell: XmlElement) => MathNode): TableNode {
  const { columnalign = '', displaystyle } = element.attributes;
  const rows: MathNode[][] = [];
  const tags: (string | undefined)[] = [];
  for (const row of elements(element)) {
    const name = localName(row);
    const cells = name === 'mtr' || name === 'mlabeledtr' ? elements(row) : [row];
    if (name === 'mlabeledtr' && cells[0]) tags[rows.length] = readTag(getTextContent(cells.shift()));
    rows.push(cells.map(readCell));
  }
  const isAligned = /^right(?: center)? left/.test(columnalign.trim()) || displaystyle === 'true';
  return { kind: 'table', rows, layout: isAligned || tags.length > 0 ? 'equations' : 'matrix', tags };
}
