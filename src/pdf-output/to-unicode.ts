import { utf16Hex } from './objects.ts';

/** What the format lets one list hold. */
const MOST_ENTRIES = 100;

/** The map from codes of a font, in hex, to the text that they stand for. */
export function toUnicode(texts: readonly (readonly [code: string, text: string])[]): string {
  const lists: string[] = [];
  for (let from = 0; from < texts.length; from += MOST_ENTRIES) {
    const entries = texts
      .slice(from, from + MOST_ENTRIES)
      .map(([code, text]) => `<${code}> <${utf16Hex(text)}>\n`);
    lists.push(`${entries.length} beginbfchar\n${entries.join('')}endbfchar\n`);
  }
  return [
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n',
    '/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n',
    '1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n',
    ...lists,
    'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n',
  ].join('');
}
