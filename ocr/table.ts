/** Recognized word with its box in pixels from the top left corner. The confidence ranges from 0 to 1. */
export interface ReadWord {
  text: string;
  x: number;
  y: number;
  w: number;
  h: number;
  confidence: number;
}

const WORD = '5';

/**
 * Parses Tesseract's table into words in reading order, grouped by paragraph and then by line. The columns of
 * the table are level, page, block, paragraph, line, word, left, top, width, height, confidence and text.
 */
export function readTable(table: string): ReadWord[][][] {
  const paragraphs: ReadWord[][][] = [];
  let [paragraphKey, lineKey] = ['', ''];
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, line, , x, y, w, h, percent, ...rest] = row.split('\t');
    const text = rest.join(' ').trim();
    if (level !== WORD || text === '') continue;
    const confidence = Number(percent) / 100;
    if (!(confidence >= 0)) continue;
    const nextParagraph = `${page}:${block}:${paragraph}`;
    const nextLine = `${nextParagraph}:${line}`;
    if (nextParagraph !== paragraphKey) paragraphs.push([]);
    const lines = paragraphs.at(-1)!;
    if (nextLine !== lineKey) lines.push([]);
    [paragraphKey, lineKey] = [nextParagraph, nextLine];
    lines.at(-1)!.push({ text, x: Number(x), y: Number(y), w: Number(w), h: Number(h), confidence });
  }
  return paragraphs;
}
