import type { ReadWord } from '../table.ts';
import { countLetters, measureConfidence } from './merge.ts';
import { measureWordShare, type Paragraphs } from './quality.ts';

/**
 * Confidence below which a picture counts as unreadable. Good scans have .89 to .96, and worn receipts at
 * least .5. Handwriting, noise, turned pages and text in another script have .2 to .4.
 */
const UNREADABLE = 0.42;
/** Confidence below which a picture counts as unreadable if few of its words are in the dictionary. */
const SUSPICIOUS = 0.55;
const MIN_WORD_SHARE = 0.35;
/** Confidence below which a single word, or a line of words, is left out. */
const MIN_WORD = 0.25;
const MIN_LINE = 0.35;
/** Confidence below which a line without a letter or digit, or with one only, is left out. */
const MIN_SHORT_LINE = 0.5;

/** Returns whether the text of a picture is too doubtful to be shown at all. */
export function isUnreadable(
  paragraphs: Paragraphs,
  knowsWord: ((word: string) => boolean) | undefined,
): boolean {
  const words = paragraphs.flat(2);
  if (words.length === 0) return false;
  const confidence = measureConfidence(words);
  if (confidence < UNREADABLE) return true;
  if (confidence >= SUSPICIOUS || !knowsWord) return false;
  return measureWordShare(paragraphs, knowsWord) < MIN_WORD_SHARE;
}

/** Removes words and lines that are probably specks, lines or pictures. */
export function removeNoise(paragraphs: Paragraphs): Paragraphs {
  return paragraphs
    .map((lines) =>
      lines
        .filter((line) => !isNoise(line))
        .map((line) => line.filter(({ confidence }) => confidence >= MIN_WORD))
        .filter((line) => line.length > 0),
    )
    .filter((lines) => lines.length > 0);
}

function isNoise(line: readonly ReadWord[]): boolean {
  const confidence = measureConfidence(line);
  return confidence < MIN_LINE || (countLetters(line) < 2 && confidence < MIN_SHORT_LINE);
}
