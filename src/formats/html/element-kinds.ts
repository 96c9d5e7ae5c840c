import type { Run } from '#src/formats/shared/flow/runs.ts';
import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';

export type Style = Omit<Run, 'text' | 'markdown'>;

/** Elements whose content is not shown as text. */
export const SKIPPED = new Set(
  'script style title template noscript head svg canvas iframe object embed audio video select datalist input textarea progress meter map area link meta base param rp colgroup'.split(
    ' ',
  ),
);
export const INLINE_STYLES: Record<string, Style> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },
  cite: { italic: true },
  s: { strike: true },
  strike: { strike: true },
  del: { strike: true },
  code: { code: true },
  kbd: { code: true },
  samp: { code: true },
  tt: { code: true },
  sub: { script: 'sub' },
  sup: { script: 'super' },
};
const INLINE = new Set(
  'a abbr acronym b bdi bdo big button cite code data del dfn em font i img ins kbd label mark math nobr output q rb ruby rt s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Elements with a namespace prefix, such as `a:b`, count as inline elements. */
export const isInline = ({ name }: XmlElement) => INLINE.has(name) || name.includes(':');

export function tableRows(table: XmlElement): XmlElement[] {
  return elements(table).flatMap((part) => {
    if (part.name === 'tr') return [part];
    return ['thead', 'tbody', 'tfoot'].includes(part.name) ? elements(part, 'tr') : [];
  });
}

/**
 * Returns whether a cell contains a table, heading or code. The table around such a cell is only used for
 * layout.
 */
export function containsBlocks(node: XmlNode): boolean {
  if (typeof node === 'string') return false;
  return /^(?:table|h[1-3]|pre|article|section|main)$/.test(node.name) || node.children.some(containsBlocks);
}
