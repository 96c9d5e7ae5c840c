import { isOn } from '#src/formats/shared/containers/ooxml-package.ts';
import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

const CHECKED = '\u2612';
const UNCHECKED = '\u2610';

/** Characters of the font Wingdings that carry a meaning, such as check boxes and arrows, by their code. */
const WINGDINGS: Record<number, string> = {
  111: UNCHECKED,
  113: UNCHECKED,
  168: UNCHECKED,
  251: '\u2717',
  252: '\u2713',
  253: CHECKED,
  254: '\u2611',
  223: '\u2190',
  224: '\u2192',
  225: '\u2191',
  226: '\u2193',
};

/** Characters of the font Symbol that differ from the letters at the same code. */
const SYMBOL: Record<number, string> = {
  97: 'α',
  98: 'β',
  100: 'δ',
  101: 'ε',
  103: 'γ',
  108: 'λ',
  109: 'μ',
  112: 'π',
  115: 'σ',
  68: 'Δ',
  83: 'Σ',
  87: 'Ω',
  163: '≤',
  165: '∞',
  174: '→',
  176: '°',
  177: '±',
  179: '≥',
  180: '×',
  185: '≠',
  187: '≈',
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
