interface Accent {
  /** LaTeX command for a single letter. */
  narrow: string;
  /** LaTeX command for a longer base. */
  wide: string;
  /** Combining character of the plain text. */
  combining?: string;
}

const ABOVE: ReadonlyMap<string, Accent> = new Map(
  Object.entries<Accent>({
    '^ˆ\u0302': { narrow: 'hat', wide: 'widehat', combining: '\u0302' },
    '~˜∼\u0303': { narrow: 'tilde', wide: 'widetilde', combining: '\u0303' },
    '¯‾ˉ−-―_\u0304\u0305\u203e': { narrow: 'bar', wide: 'overline', combining: '\u0304' },
    '.˙·\u0307': { narrow: 'dot', wide: 'dot', combining: '\u0307' },
    '¨\u0308': { narrow: 'ddot', wide: 'ddot', combining: '\u0308' },
    '\u20db': { narrow: 'dddot', wide: 'dddot', combining: '\u20db' },
    '\u20dc': { narrow: 'ddddot', wide: 'ddddot', combining: '\u20dc' },
    'ˇ\u030c': { narrow: 'check', wide: 'widecheck', combining: '\u030c' },
    '˘\u0306': { narrow: 'breve', wide: 'breve', combining: '\u0306' },
    '´\u0301': { narrow: 'acute', wide: 'acute', combining: '\u0301' },
    '`\u0300': { narrow: 'grave', wide: 'grave', combining: '\u0300' },
    '˚\u030a': { narrow: 'mathring', wide: 'mathring', combining: '\u030a' },
    '→⃗⟶\u20d7\u20d1⇀': { narrow: 'vec', wide: 'overrightarrow', combining: '\u20d7' },
    '←⟵\u20d6\u20d0↼': { narrow: 'overleftarrow', wide: 'overleftarrow', combining: '\u20d6' },
    '↔\u20e1': { narrow: 'overleftrightarrow', wide: 'overleftrightarrow', combining: '\u20e1' },
    '⏞︷': { narrow: 'overbrace', wide: 'overbrace' },
    '⏜⌢︵': { narrow: 'overparen', wide: 'overparen' },
    '⎴⏠': { narrow: 'overbracket', wide: 'overbracket' },
  }).flatMap(([marks, accent]) => [...marks].map((mark): [string, Accent] => [mark, accent])),
);

const BELOW: ReadonlyMap<string, Accent> = new Map(
  Object.entries<Accent>({
    '_¯‾ˍ−-―\u0331\u0332\u203e': { narrow: 'underline', wide: 'underline', combining: '\u0332' },
    '⏟︸': { narrow: 'underbrace', wide: 'underbrace' },
    '→\u20ef': { narrow: 'underrightarrow', wide: 'underrightarrow' },
    '←\u20ee': { narrow: 'underleftarrow', wide: 'underleftarrow' },
    '↔': { narrow: 'underleftrightarrow', wide: 'underleftrightarrow' },
    '~˜∼\u0330': { narrow: 'utilde', wide: 'utilde', combining: '\u0330' },
    '⏝⌣︶': { narrow: 'underparen', wide: 'underparen' },
    '⎵⏡': { narrow: 'underbracket', wide: 'underbracket' },
  }).flatMap(([marks, accent]) => [...marks].map((mark): [string, Accent] => [mark, accent])),
);

/** Returns the accent that a character draws above or below its base, or `undefined` for other characters. */
export const findAccent = (mark: string, isBelow: boolean): Accent | undefined =>
  (isBelow ? BELOW : ABOVE).get(mark);

/** Returns whether the mark is a horizontal bracket that can have a label, such as an overbrace. */
export const isLabelled = (mark: string): boolean => /^[⏞⏟︷︸⎴⎵⏠⏡]$/.test(mark);
