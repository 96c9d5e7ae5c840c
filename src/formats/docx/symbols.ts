import { isOn } from '#src/formats/shared/containers/ooxml-package.ts';
import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

const CHECKED = '\u2612';
const UNCHECKED = '\u2610';

/** Characters of the font Wingdings that carry a meaning, such as check boxes and arrows, by their code. */
const WINGDINGS: Record<number, string> = {
  0x6f: UNCHECKED,
  0x71: UNCHECKED,
  0xa8: UNCHECKED,
  0xfb: '\u2717',
  0xfc: '\u2713',
  0xfd: CHECKED,
  0xfe: '\u2611',
  0xdf: '\u2190',
  0xe0: '\u2192',
  0xe1: '\u2191',
  0xe2: '\u2193',
};

/** Characters of the font Symbol that differ from the letters at the same code. */
const SYMBOL: Record<number, string> = {
  0x61: 'α',
  0x62: 'β',
  0x64: 'δ',
  0x65: 'ε',
  0x67: 'γ',
  0x6c: 'λ',
  0x6d: 'μ',
  0x70: 'π',
  0x73: 'σ',
  0x44: 'Δ',
  0x53: 'Σ',
  0x57: 'Ω',
  0xa3: '≤',
  0xa5: '∞',
  0xae: '→',
  0xb0: '°',
  0xb1: '±',
  0xb3: '≥',
  0xb4: '×',
  0xb9: '≠',
  0xbb: '≈',
};

/**
 * Returns the character of a w:sym element. Returns '' for characters of symbol fonts that are not known,
 * because their code points have no defined meaning.
 */
export function readSymbol(node: XmlElement): string {
  const code = Number.parseInt(node.attributes['w:char'] ?? '', 16);
  const font = (node.attributes['w:font'] ?? '').toLowerCase();
  const own = code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code;
  if (font === 'wingdings') return WINGDINGS[own] ?? '';
  if (font === 'symbol' && SYMBOL[own]) return SYMBOL[own];
  return code > 0x20 && code < 0xe000 ? String.fromCharCode(code) : '';
}

const value = (element: XmlElement | undefined) => element?.attributes['w:val'];

/**
 * Returns the state of a form field that has no text of its own: a check box or the chosen entry of a list.
 * Returns '' for all other fields.
 */
export function readFormField(begin: XmlElement): string {
  const data = child(begin, 'w:ffData');
  const box = child(data, 'w:checkBox');
  if (box) return isOn(child(box, 'w:checked') ?? child(box, 'w:default')) ? CHECKED : UNCHECKED;
  const list = child(data, 'w:ddList');
  const chosen = Number(value(child(list, 'w:result')) ?? value(child(list, 'w:default')) ?? 0);
  return value(elements(list, 'w:listEntry')[chosen]) ?? '';
}
