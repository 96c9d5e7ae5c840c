import { elements, type XmlElement, type XmlNode } from '#src/text-formats/xml.ts';

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
