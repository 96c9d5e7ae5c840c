import { fold } from '#src/lib/text/words.ts';
import { type Found, findAll } from './find-all.ts';

const NUMBER_WORDS: [value: number, words: string][] = [
  [1, 'one un une uno una ein eine einen einem einer een'],
  [2, 'two deux dos due zwei twee'],
  [3, 'three trois tres tre drei drie'],
  [4, 'four quatre cuatro quattro vier'],
  [5, 'five cinq cinco cinque funf vijf'],
  [6, 'six seis sei sechs zes'],
  [7, 'seven sept siete sette sieben zeven'],
  [8, 'eight huit ocho otto acht'],
  [9, 'nine neuf nueve nove neun negen'],
  [10, 'ten dix diez dieci zehn tien'],
  [11, 'eleven onze once undici elf'],
  [12, 'twelve douze doce dodici zwolf twaalf'],
  [13, 'thirteen treize trece dreizehn dertien'],
  [14, 'fourteen quatorze catorce vierzehn veertien'],
  [15, 'fifteen quinze quince funfzehn vijftien'],
  [16, 'sixteen seize sechzehn zestien'],
  [17, 'seventeen siebzehn'],
  [18, 'eighteen achtzehn achttien'],
  [19, 'nineteen neunzehn'],
  [20, 'twenty vingt veinte venti zwanzig twintig'],
  [30, 'thirty trente treinta trenta dreissig dertig'],
  [40, 'forty quarante cuarenta vierzig veertig'],
  [45, 'funfundvierzig'],
  [50, 'fifty cinquante cincuenta funfzig vijftig'],
  [60, 'sixty soixante sesenta sechzig zestig'],
  [70, 'seventy setenta siebzig'],
  [80, 'eighty ochenta achtzig tachtig'],
  [90, 'ninety noventa neunzig negentig'],
  [100, 'hundred cent cien hundert honderd'],
  [1_000, 'thousand mille mil tausend duizend'],
  [1_000_000, 'million millions millionen millon millones miljoen milioni'],
  [1_000_000_000, 'billion billions milliard milliards milliarde milliarden miljard'],
];
const VALUES = new Map(
  NUMBER_WORDS.flatMap(([value, words]) => words.split(' ').map((word) => [word, value])),
);

const WORD_RUN = /(?<![\p{L}\p{N}])\p{L}{2,16}(?:(?:[ -]|\sand\s)\p{L}{2,16}){0,5}/gu;
const SCALED =
  /(?<![\p{L}\d.,])(\d{1,3}(?:[.,]\d{1,3})?)\s(thousand|millions?|billions?|millionen|milliarden?|milliards?|millones|miljoen|miljard|milioni)(?!\p{L})/giu;

/**
 * Finds numbers that are written in words, such as "three", "sixty-five", "two hundred" and "1.5 million".
 */
export function findNumberWords(text: string): Found<number>[] {
  const scaled = findAll(text, SCALED, 0.9, (match) => {
    const scale = VALUES.get(fold(match[2]!));
    return scale && Math.round(Number(match[1]!.replace(',', '.')) * scale);
  });
  const written = [...text.matchAll(WORD_RUN)].flatMap((run) => findNumberRuns(run[0], run.index, text));
  return [...scaled, ...written];
}

function findNumberRuns(run: string, offset: number, text: string): Found<number>[] {
  const out: Found<number>[] = [];
  let open: { start: number; end: number; values: number[] } | undefined;
  const close = () => {
    if (open) {
      const { start, end, values } = open;
      out.push({ value: combineNumberWords(values), text: text.slice(start, end), start, end, quality: 0.7 });
    }
    open = undefined;
  };
  for (const match of run.matchAll(/\p{L}+/gu)) {
    const value = VALUES.get(fold(match[0]));
    const start = offset + match.index;
    const end = start + match[0].length;
    if (value !== undefined) {
      if (open) {
        open.end = end;
        open.values.push(value);
      } else open = { start, end, values: [value] };
    } else if (match[0] !== 'and') close();
  }
  close();
  return out;
}

/**
 * Combines the values of number words into one number. "Hundred" and "thousand" multiply the preceding
 * number, and later words are added, as in "two hundred five".
 */
function combineNumberWords(values: number[]): number {
  let total = 0;
  let current = 0;
  for (const value of values) {
    if (value === 100) current = Math.max(1, current) * 100;
    else if (value >= 1_000) {
      total += Math.max(1, current) * value;
      current = 0;
    } else current += value;
  }
  return total + current;
}
