/** Recognized word with its box in pixels from the top left corner. The confidence ranges from 0 to 1. */
export interface ReadWord {
  text: string;
  x: number;
  y: number;
  w: number;
  h: number;
  confidence: number;
}

export interface Reading {
  /** Recognized words in reading order, grouped by paragraph and then by line. */
  paragraphs: ReadWord[][][];
  /** Mean confidence of all words, including discarded ones. 0 if there are no words. */
  confidence: number;
}

const WORD = '5';

/**
 * Minimum confidence of a recognized word. Words with a lower confidence are usually specks and lines, and
 * are discarded.
 */
const LEAST_CONFIDENCE = 0.25;

/**
 * Parses Tesseract's table. Its columns are level, page, block, paragraph, line, word, left, top, width,
 * height, confidence and text.
 */
export function readTable(table: string): Reading {
  const paragraphs: ReadWord[][][] = [];
  let [paragraphKey, lineKey] = ['', ''];
  let sum = 0;
  let count = 0;
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, line, , x, y, w, h, percent, ...rest] = row.split('\t');
    const text = rest.join(' ').trim();
    if (level !== WORD || text === '') continue;
    const confidence = Number(percent) / 100;
    sum += confidence;
    count += 1;
    if (!(confidence >= LEAST_CONFIDENCE)) continue;
    const nextParagraph = `${page}:${block}:${paragraph}`;
    const nextLine = `${nextParagraph}:${line}`;
    if (nextParagraph !== paragraphKey) paragraphs.push([]);
    const lines = paragraphs.at(-1)!;
    if (nextLine !== lineKey) lines.push([]);
    [paragraphKey, lineKey] = [nextParagraph, nextLine];
    lines.at(-1)!.push({ text, x: Number(x), y: Number(y), w: Number(w), h: Number(h), confidence });
  }
  return { paragraphs, confidence: count === 0 ? 0 : sum / count };
}
