import { toUtf16Hex } from './objects.ts';

/** Maximum number of entries in one list of a ToUnicode map, as the PDF format requires. */
const MAX_ENTRIES = 100;

/**
 * Builds the ToUnicode map of a font, by which PDF readers convert character codes to text. The codes are
 * hexadecimal.
 */
export function buildToUnicodeMap(texts: readonly (readonly [code: string, text: string])[]): string {
  const lists: string[] = [];
  for (let from = 0; from < texts.length; from += MAX_ENTRIES) {
    const entries = texts
      .slice(from, from + MAX_ENTRIES)
      .map(([code, text]) => `<${code}> <${toUtf16Hex(text)}>\n`);
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
