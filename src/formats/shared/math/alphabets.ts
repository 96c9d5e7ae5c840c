import type { MathStyle } from './nodes.ts';

export interface StyledLetter {
  letter: string;
  style: MathStyle | undefined;
}

/** Typefaces of Latin letters from U+1D400 on. Each typeface has 26 capital and 26 small letters. */
const LATIN: readonly (MathStyle | undefined)[] = [
  'bold',
  undefined,
  'bold-italic',
  'script',
  'script',
  'fraktur',
  'double-struck',
  'fraktur',
  'sans-serif',
  'sans-serif',
  'sans-serif',
  'sans-serif',
  'monospace',
];
/** Typefaces of Greek letters from U+1D6A8 on, with 58 characters each. */
const GREEK: readonly (MathStyle | undefined)[] = ['bold', undefined, 'bold-italic', 'bold', 'bold-italic'];
/** Typefaces of digits from U+1D7CE on. */
const DIGITS: readonly MathStyle[] = ['bold', 'double-struck', 'sans-serif', 'sans-serif', 'monospace'];

/** Letters that Unicode encodes outside the block of mathematical letters, by typeface. */
const LETTERLIKE: Partial<Record<MathStyle, string>> = {
  'double-struck': 'ℂℍℕℙℚℝℤℽℾℿⅅⅆⅇⅈ',
  script: 'ℬℰℱℋℐℒℳℛℯℊℴ',
  fraktur: 'ℭℌℨ',
};
const styleByLetter = new Map(
  Object.entries(LETTERLIKE).flatMap(([style, letters]) =>
    [...letters].map((letter): [string, string] => [letter, style]),
  ),
);
const isStyle = (style: string | undefined): style is MathStyle => style !== undefined && style in LETTERLIKE;

function findStyle(code: number): MathStyle | undefined {
  if (code < 0x1d6a4) return LATIN[Math.floor((code - 0x1d400) / 52)];
  if (code < 0x1d6a8) return undefined;
  if (code < 0x1d7ca) return GREEK[Math.floor((code - 0x1d6a8) / 58)];
  return code < 0x1d7ce ? 'bold' : DIGITS[Math.floor((code - 0x1d7ce) / 10)];
}

/**
 * Splits a mathematical letter of Unicode, such as a double-struck R, into the plain letter and its typeface.
 * Other characters are returned unchanged and without a typeface.
 */
export function splitStyle(character: string): StyledLetter {
  const code = character.codePointAt(0) ?? 0;
  if (character === 'ℎ') return { letter: 'h', style: undefined };
  const style = styleByLetter.get(character);
  if (isStyle(style)) return { letter: character.normalize('NFKC'), style };
  if (code < 0x1d400 || code > 0x1d7ff) return { letter: character, style: undefined };
  if (code === 0x1d6a4) return { letter: 'ı', style: undefined };
  if (code === 0x1d6a5) return { letter: 'ȷ', style: undefined };
  return { letter: character.normalize('NFKC'), style: findStyle(code) };
}

const COMMANDS: Record<MathStyle, string> = {
  upright: 'mathrm',
  bold: 'mathbf',
  'bold-italic': 'boldsymbol',
  'double-struck': 'mathbb',
  script: 'mathcal',
  fraktur: 'mathfrak',
  'sans-serif': 'mathsf',
  monospace: 'mathtt',
};

/** Wraps LaTeX code in the command of a typeface. Bold Greek letters need a command of their own. */
export function wrapStyle(latex: string, style: MathStyle | undefined): string {
  if (style === undefined || latex === '') return latex;
  if (!/[A-Za-z0-9]/.test(latex)) return latex;
  const isCommand = latex.startsWith('\\');
  if (isCommand && style !== 'bold' && style !== 'bold-italic') return latex;
  return `\\${isCommand ? 'boldsymbol' : COMMANDS[style]}{${latex}}`;
}
