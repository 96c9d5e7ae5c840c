import { decodePiece, decodeSymbolCode } from './symbol-encoding.ts';

/** Lists the characters of consecutive codes. A dot stands for a code without a Unicode value. */
function fromList(first: number, list: string): [number, string][] {
  return list
    .trim()
    .split(/\s+/)
    .flatMap((text, at): [number, string][] => (text === '.' ? [] : [[first + at, text]]));
}

const CAPITAL_GREEK = 'Γ Δ Θ Λ Ξ Π Σ Υ Φ Ψ Ω';

/** Codes of TeX's text fonts that differ from ASCII. */
const TEXT = new Map([
  ...fromList(0x00, `${CAPITAL_GREEK} ff fi fl ffi ffl ı ȷ \` ´ ˇ ˘ ¯ ˚ ¸ ß æ œ ø Æ Œ Ø`),
  ...fromList(0x5b, '[ “ ] ˆ ˙ ‘'),
  ...fromList(0x7b, '– — ˝ ˜ ¨'),
  ...fromList(0x22, '”'),
  ...fromList(0x27, '’'),
  ...fromList(0x3c, '¡ = ¿'),
]);

/** Codes of TeX's math italic fonts that differ from ASCII. */
const MATH_ITALIC = new Map([
  ...fromList(0x00, CAPITAL_GREEK),
  ...fromList(0x0b, 'α β γ δ ϵ ζ η θ ι κ λ μ ν ξ π ρ σ τ υ ϕ χ ψ ω ε ϑ ϖ ϱ ς φ ↼ ↽ ⇀ ⇁ . . ▷ ◁'),
  ...fromList(0x3a, '. , < / > ⋆ ∂'),
  [0x3a, '.'] as const,
  ...fromList(0x5b, '♭ ♮ ♯ ⌣ ⌢ ℓ'),
  ...fromList(0x7b, 'ı ȷ ℘ \u20d7 ⁀'),
]);

/** Codes of TeX's math symbol fonts. */
const MATH_SYMBOLS = new Map([
  ...fromList(0x00, '− ⋅ × ∗ ÷ ⋄ ± ∓ ⊕ ⊖ ⊗ ⊘ ⊙ ◯ ∘ ∙ ≍ ≡ ⊆ ⊇ ≤ ≥ ⪯ ⪰ ∼ ≈ ⊂ ⊃ ≪ ≫ ≺ ≻'),
  ...fromList(0x20, '← → ↑ ↓ ↔ ↗ ↘ ≃ ⇐ ⇒ ⇑ ⇓ ⇔ ↖ ↙ ∝ ′ ∞ ∈ ∋ △ ▽ \u0338 ↦ ∀ ∃ ¬ ∅ ℜ ℑ ⊤ ⊥ ℵ'),
  ...fromList(0x5b, '∪ ∩ ⊎ ∧ ∨ ⊢ ⊣ ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ∥ ↕ ⇕ \\ ≀ √ ⨿ ∇ ∫ ⊔ ⊓ ⊑ ⊒ § † ‡ ¶ ♣ ♢ ♡ ♠'),
]);

/** Codes of TeX's fonts with large operators and delimiters. */
const MATH_EXTENSION = new Map([
  ...fromList(0x00, '( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ∥ / \\ ( ) ( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\'),
  ...fromList(0x20, '( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\ / \\ ⎛ ⎞ ⎡ ⎤ ⎣ ⎦ ⎢ ⎥ ⎧ ⎫ ⎩ ⎭ ⎨ ⎬ ⎪ .'),
  ...fromList(0x40, '⎝ ⎠ ⎜ ⎟ ⟨ ⟩ ⨆ ⨆ ∮ ∮ ⨀ ⨀ ⨁ ⨁ ⨂ ⨂ ∑ ∏ ∫ ⋃ ⋂ ⨄ ⋀ ⋁ ∑ ∏ ∫ ⋃ ⋂ ⨄ ⋀ ⋁'),
  ...fromList(0x60, '∐ ∐ ˆ ˆ ˆ ˜ ˜ ˜ [ ] ⌊ ⌋ ⌈ ⌉ { } √ √ √ √'),
]);

/** Frequent codes of the symbol fonts of the American Mathematical Society. */
const AMS_A = new Map([
  ...fromList(0x00, '⊡ ⊞ ⊠ □ ■ . ◊'),
  ...fromList(0x29, '∴ ∵ . ≜'),
  [0x26, '≳'] as const,
  [0x2e, '≲'] as const,
  [0x36, '⩽'] as const,
  [0x3e, '⩾'] as const,
  ...fromList(0x5c, '∠ ∡ ∢'),
]);
const AMS_B = new Map([
  ...fromList(0x02, '≰ ≱ ≮ ≯'),
  ...fromList(0x1c, '≁ ≇'),
  [0x28, '⊊'] as const,
  ...fromList(0x2c, '∦ ∤'),
  ...fromList(0x3f, '∅ ∄'),
  ...fromList(0x6e, '⋉ ⋊'),
  ...fromList(0x7d, 'ℏ ℏ'),
]);

const isPrintable = (code: number) => code > 0x20 && code < 0x7f;

interface TexEncoding {
  fonts: RegExp;
  codes: ReadonlyMap<number, string>;
  /** True if all other printable codes are ASCII, and `letters` if only letters are. */
  ascii: boolean | 'letters';
}

const ENCODINGS: readonly TexEncoding[] = [
  { fonts: /^(?:CMMI|CMMIB|LMMathItalic|EUR[MB])/i, codes: MATH_ITALIC, ascii: true },
  { fonts: /^(?:CMSY|CMBSY|LMMathSymbols|EUSM|EUSB)/i, codes: MATH_SYMBOLS, ascii: 'letters' },
  { fonts: /^(?:CMEX|LMMathExtension|EUEX)/i, codes: MATH_EXTENSION, ascii: false },
  { fonts: /^MSAM/i, codes: AMS_A, ascii: false },
  { fonts: /^MSBM/i, codes: AMS_B, ascii: 'letters' },
  { fonts: /^CM(?:R|BX|B|TI|SL|SS|CSC|DUNH|U|FIB|BXTI|BXSL)[A-Z]*\d/i, codes: TEXT, ascii: true },
];

/**
 * Returns the character of a code in a font for which the engine knows no Unicode value. Returns `undefined`
 * if the name of the font tells nothing about the code.
 */
export function decodeFontCode(font: string, code: number): string | undefined {
  const piece = decodePiece(code);
  if (piece !== undefined) return piece;
  if (/^Symbol/i.test(font)) return decodeSymbolCode(code);
  const encoding = ENCODINGS.find(({ fonts }) => fonts.test(font));
  if (!encoding) return undefined;
  const known = encoding.codes.get(code);
  if (known !== undefined || !encoding.ascii || !isPrintable(code)) return known;
  const character = String.fromCharCode(code);
  return encoding.ascii === true || /[A-Za-z]/.test(character) ? character : undefined;
}

/** Returns whether a font is a text font, in which low codes stand for ligatures. */
export const hasTextLigatures = (font: string): boolean => !isMathFont(font);

const MATH_FONTS =
  /^(?:CM(?:MI|SY|EX|BSY|MIB)|MS[AB]M|EU(?:FM|FB|SM|SB|RM|RB|EX)|LMMath|LatinModernMath|STIX|XITS|Cambria-?Math|KaTeX_|StandardSym|MathJax|MJX|Symbol|MT-?Extra|MT(?:MI|SY|EX)|MathematicalPi|Euclid|Asana|TeXGyre\w*Math|NewCMMath|STMARY|RSFS|WASY|LASY|[pt]x(?:sy|mi|ex)|[rz]?NTX|NewTXMI|LibertinusMath|FiraMath|RMTMI)/i;

/** Returns whether a font contains the letters and signs of formulas. */
export const isMathFont = (font: string): boolean => MATH_FONTS.test(font);

/** Returns whether the glyphs of a font hang below the baseline, so that boxes from font metrics are wrong. */
export const hasOffsetGlyphs = (font: string): boolean =>
  /^(?:CMEX|LMMathExtension|EUEX|MTEX|[pt]xex)/i.test(font);
