import type { ReadWord } from '../table.ts';

type Paragraphs = readonly (readonly (readonly ReadWord[])[])[];

/** Minimum share of the smaller of two boxes that must overlap, so that both show the same letters. */
const SAME_PLACE = 0.4;
/** Minimum difference of confidence by which the other reading must be better to replace words. */
const CLEARLY_BETTER = 0.04;
/** Minimum share of the letters that the replacing words must have. */
const MIN_LETTERS_SHARE = 0.6;
/** Minimum confidence of a word that only one reading contains. */
const MIN_NEW_CONFIDENCE = 0.6;
/** Height in pixels of the rows by which words are indexed. */
const ROW = 64;
/** Maximum number of rows in which a word is indexed. Higher boxes are pictures. */
const MAX_ROWS = 12;

/** Words of two readings that show the same place. */
interface Group {
  base: ReadWord[];
  other: ReadWord[];
}

/**
 * Merges a second reading of the same picture into the first. Where both readings have words at the same
 * place, the more confident words are kept. Words that only the second reading has are added to the line that
 * they stand in, or as a new line.
 */
export function mergeReadings(base: Paragraphs, other: Paragraphs): ReadWord[][][] {
  const replaced = new Map<ReadWord, ReadWord[]>();
  const added: ReadWord[] = [];
  for (const group of groupByPlace(base.flat(2), other.flat(2))) {
    if (group.base.length === 0) {
      for (const word of group.other)
        if (word.confidence >= MIN_NEW_CONFIDENCE && countLetters([word]) > 1) added.push(word);
    } else if (group.other.length > 0 && isBetter(group.other, group.base)) {
      for (const word of group.base) replaced.set(word, []);
      replaced.set(group.base[0]!, group.other);
    }
  }
  const paragraphs = base
    .map((lines) =>
      lines
        .map((line) => line.flatMap((word) => replaced.get(word) ?? [word]))
        .filter((line) => line.length > 0),
    )
    .filter((lines) => lines.length > 0);
  return insertWords(paragraphs, added);
}

function isBetter(other: readonly ReadWord[], base: readonly ReadWord[]): boolean {
  return (
    countLetters(other) >= MIN_LETTERS_SHARE * countLetters(base) &&
    measureConfidence(other) > measureConfidence(base) + CLEARLY_BETTER
  );
}

export const countLetters = (words: readonly ReadWord[]): number =>
  words.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);

/** Returns the mean confidence of words, weighted by the length of the words. */
export function measureConfidence(words: readonly ReadWord[]): number {
  let [sum, letters] = [0, 0];
  for (const { text, confidence } of words) {
    const length = [...text].length;
    sum += confidence * length;
    letters += length;
  }
  return letters === 0 ? 0 : sum / letters;
}

function groupByPlace(base: readonly ReadWord[], other: readonly ReadWord[]): Group[] {
  const groups = new Map<ReadWord, Group>();
  const rows = new Map<number, ReadWord[]>();
  for (const word of base) {
    groups.set(word, { base: [word], other: [] });
    for (const row of listRows(word)) {
      const known = rows.get(row);
      if (known) known.push(word);
      else rows.set(row, [word]);
    }
  }
  const all = new Set(groups.values());
  for (const word of other) {
    let group: Group = { base: [], other: [word] };
    const near = new Set(listRows(word).flatMap((row) => rows.get(row) ?? []));
    const touched = new Set(
      [...near].filter((each) => isSamePlace(each, word)).map((each) => groups.get(each)!),
    );
    const [first, ...rest] = touched;
    if (first) {
      group = first;
      group.other.push(word);
      for (const each of rest) {
        for (const moved of each.base) {
          group.base.push(moved);
          groups.set(moved, group);
        }
        for (const moved of each.other) group.other.push(moved);
        all.delete(each);
      }
    }
    all.add(group);
  }
  for (const { base: words, other: others } of all) {
    words.sort((a, b) => a.x - b.x);
    others.sort((a, b) => a.x - b.x);
  }
  return [...all];
}

function listRows({ y, h }: Pick<ReadWord, 'y' | 'h'>): number[] {
  const first = Math.floor(y / ROW);
  const last = Math.min(first + MAX_ROWS, Math.floor((y + h) / ROW));
  return Array.from({ length: Math.max(1, last - first + 1) }, (_, at) => first + at);
}

function isSamePlace(one: ReadWord, other: ReadWord): boolean {
  const across = Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y);
  if (across <= 0 || down <= 0) return false;
  return across * down >= SAME_PLACE * Math.min(one.w * one.h, other.w * other.h);
}

/** Line of words with its upper and lower edge. */
interface PlacedLine {
  words: ReadWord[];
  top: number;
  bottom: number;
}

/** Inserts words into the lines in which they stand. Words outside of all lines become lines of their own. */
function insertWords(paragraphs: ReadWord[][][], words: readonly ReadWord[]): ReadWord[][][] {
  const rows = new Map<number, PlacedLine[]>();
  const index = (line: ReadWord[]): void => {
    const placed = measureLine(line);
    for (const row of listRows({ y: placed.top, h: placed.bottom - placed.top })) {
      const known = rows.get(row);
      if (known) known.push(placed);
      else rows.set(row, [placed]);
    }
  };
  for (const line of paragraphs.flat()) index(line);
  const rest: ReadWord[][] = [];
  for (const word of words.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const near = listRows(word).flatMap((row) => rows.get(row) ?? []);
    const line = near.find((each) => isInLine(each, word))?.words;
    if (!line) {
      const added = [word];
      rest.push(added);
      index(added);
      continue;
    }
    const at = line.findIndex((each) => each.x > word.x);
    line.splice(at < 0 ? line.length : at, 0, word);
  }
  return insertLines(paragraphs, rest);
}

/** Inserts lines, which are sorted from top to bottom, before the first paragraph that begins below them. */
function insertLines(paragraphs: readonly ReadWord[][][], lines: readonly ReadWord[][]): ReadWord[][][] {
  const result: ReadWord[][][] = [];
  let next = 0;
  for (const paragraph of paragraphs) {
    const top = paragraph[0]![0]!.y;
    while (next < lines.length && lines[next]![0]!.y < top) result.push([lines[next++]!]);
    result.push(paragraph);
  }
  for (const line of lines.slice(next)) result.push([line]);
  return result;
}

function measureLine(words: ReadWord[]): PlacedLine {
  let [top, bottom] = [Number.POSITIVE_INFINITY, 0];
  for (const { y, h } of words) {
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + h);
  }
  return { words, top, bottom };
}

function isInLine({ top, bottom }: PlacedLine, word: ReadWord): boolean {
  const down = Math.min(bottom, word.y + word.h) - Math.max(top, word.y);
  return down > 0.5 * Math.min(bottom - top, word.h);
}
