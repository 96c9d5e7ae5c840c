/** Characters of the Symbol font from code 0x20 to 0x7e. */
const LOW = ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼';
/** Characters of the Symbol font from code 0xa0 to 0xfe. A space stands for a code without a Unicode value. */
const HIGH =
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ ⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭';

const BY_CODE = new Map<number, string>([
  ...[...LOW].map((text, at): [number, string] => [0x20 + at, text]),
  ...[...HIGH].map((text, at): [number, string] => [0xa0 + at, text]),
]);

/** Pieces of tall brackets, for which Adobe's glyph list has private codes. */
const PIECES = '⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭';
const FIRST_PIECE = 0xf8eb;

/** Returns the piece of a bracket that a private code stands for in any font, or `undefined`. */
export const decodePiece = (code: number): string | undefined => PIECES[code - FIRST_PIECE];

/**
 * Returns the character of a code of the Symbol font. Fonts of Windows use private codes with the same last byte.
 * Returns `undefined` if the code has no Unicode value.
 */
export function decodeSymbolCode(code: number): string | undefined {
  const text = BY_CODE.get(code >= 0xf000 && code <= 0xf0ff ? code - 0xf000 : code);
  return text === ' ' ? undefined : text;
}
