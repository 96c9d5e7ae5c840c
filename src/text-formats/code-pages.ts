const LABELS: Record<number, string> = {
  708: 'iso-8859-6',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  1201: 'utf-16be',
  1361: 'euc-kr',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  21866: 'koi8-u',
  51932: 'euc-jp',
  54936: 'gb18030',
  65001: 'utf-8',
};

/**
 * Characters of the DOS code pages that TextDecoder does not support. The first character is that of byte
 * 0x80.
 */
const TABLES: Record<number, string> = {
  437: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
};

const decoders = new Map<string, TextDecoder>();

function getDecoder(label: string): TextDecoder {
  let decoder = decoders.get(label);
  if (!decoder) {
    decoder = new TextDecoder(label);
    decoders.set(label, decoder);
  }
  return decoder;
}

/** Decodes text in a Windows, DOS or Mac code page. Unknown code pages are read as windows-1252. */
export function decodeCodePage(bytes: Uint8Array, page: number): string {
  const table = TABLES[page];
  if (table) {
    let text = '';
    for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : table[byte - 0x80];
    return text;
  }
  const isWindows = page >= 1250 && page <= 1258;
  const isLatin = page >= 28592 && page <= 28606;
  const label = isWindows ? `windows-${page}` : isLatin ? `iso-8859-${page - 28590}` : LABELS[page];
  try {
    return getDecoder(label ?? 'windows-1252').decode(bytes);
  } catch {
    return getDecoder('windows-1252').decode(bytes);
  }
}

/** Returns whether a byte is the first of a two-byte character in an East Asian code page. */
export function isLeadByte(byte: number, page: number): boolean {
  if (page === 932) return (byte >= 0x81 && byte <= 0x9f) || (byte >= 0xe0 && byte <= 0xfc);
  return [936, 949, 950, 1361].includes(page) && byte >= 0x81 && byte <= 0xfe;
}
