import type { Block, Page } from '#src/documents/document.ts';
import { largest } from '#src/lib/extremes.ts';
import { fold, nameWords, occurrences, squash } from '#src/lib/text/words.ts';
import type { Candidate } from './evidence.ts';
import type { Field } from './fields.ts';
import { isPartOfDocument } from './parties/names.ts';
import { blocksOf } from './prose/passages.ts';

/** How schemas ask what a document is called. A job has a title as well. */
const ASKS_TITLE =
  /\b(?:(?<!\b(?:job|work|position|professional) )title|heading|headline|titel|titre|titulo|titolo|uberschrift|calls itself|document name|name of (?:the|this) (?:document|report|contract|agreement|policy))\b/;
/** The title of a course or of a film is another one; that "of the annual report" is the document's. */
const TITLE_OF = /^title of (?:the |an? |this )?(\p{L}+(?: \p{L}+){0,2})/iu;
/** "Exhibit 4.1" and the marks of headings stand before a title and are none. */
const NUMBERED_AS =
  /^#{1,6}\s|^\s*(?:exhibit|annex|annexe|anlage|appendix|schedule|anexo)\s[\w.()-]{1,12}\s/i;
const MOST_BLOCKS = 14;
const LONGEST_TITLE = 200;
const LONGEST_TEXT = 20_000;

/** Whether a field asks what the document is called. */
export const asksTitle = ({ kind, name, description }: Field): boolean =>
  kind === 'text' &&
  ASKS_TITLE.test(fold(`${nameWords(name).join(' ')} ${description}`)) &&
  (TITLE_OF.exec(description)?.[1] ?? 'document').split(' ').some((word) => isPartOfDocument(word));

/** The pieces of the first page that may be what the document is called: headings, large type, capitals. */
export function titleCandidates(pages: readonly Page[]): Candidate[] {
  const [page] = pages.filter(({ text }) => text.trim() !== '');
  if (!page) return [];
  const single = blocksOf(page)
    .slice(0, MOST_BLOCKS)
    .flatMap((block, index) => piecesOf(block, page, index))
    .slice(0, MOST_BLOCKS);
  const tallest = largest(
    single.map(({ height }) => height),
    1,
  );
  const text = squash(
    pages
      .slice(0, 2)
      .map((each) => each.text.slice(0, LONGEST_TEXT))
      .join('\n'),
  );
  const recurring = (piece: Piece) => Math.min(1, (occurrences(text, squash(piece.text)) - 1) / 2);
  return single.map((piece) => ({
    value: piece.text,
    spans: [{ page: page.index, text: piece.text }],
    features: {
      title:
        shapeOf(piece.text) *
        ((piece.isHeading ? 0.3 : 0) + 0.4 * (piece.height / tallest) + 0.3 * capitalsOf(piece.text)),
      // "This Sponsorship Agreement …": the text calls itself by its title.
      heading: recurring(piece),
      position: 1 - piece.index / MOST_BLOCKS,
      type: shapeOf(piece.text),
    },
  }));
}

interface Piece {
  text: string;
  height: number;
  isHeading: boolean;
  /** Of its block. */
  index: number;
}

/** A block as one title; lines of plain text each for themselves. */
function piecesOf(block: Pick<Block, 'type' | 'text' | 'box'>, page: Page, index: number): Piece[] {
  if (['table', 'figure', 'code', 'footer'].includes(block.type)) return [];
  const isHeading = block.type === 'heading';
  const height = heightOf(block, page);
  const lines = block.text.split('\n').slice(0, MOST_BLOCKS);
  const texts = isHeading || height > 0 ? [lines.join(' '), ...(lines.length > 1 ? lines : [])] : lines;
  return texts
    .map((text) =>
      text
        .replace(NUMBERED_AS, '')
        .replace(/[-–—=_*\s]{3,60}$/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => /\p{L}{3}/u.test(text) && text.length <= LONGEST_TITLE)
    .map((text) => ({ text, height, isHeading, index }));
}

/** Of the words inside the block's box; 0 where nothing is measured. */
function heightOf({ box }: Pick<Block, 'box'>, page: Page): number {
  if (!box) return 0;
  const heights = page.words.flatMap(([, x, y, w, h]) => {
    const [middleX, middleY] = [x + w / 2, y + h / 2];
    const isInside =
      middleX >= box.x && middleX <= box.x + box.w && middleY >= box.y && middleY <= box.y + box.h;
    return isInside ? [h] : [];
  });
  return heights.sort((left, right) => left - right)[Math.floor(heights.length / 2)] ?? 0;
}

/** How many of the longer words begin with a capital. */
function capitalsOf(text: string): number {
  const words = text.match(/\p{L}[\p{L}'’-]{3,}/gu) ?? [];
  return words.filter((word) => /^\p{Lu}/u.test(word)).length / Math.max(1, words.length);
}

/** A title is a few words and no sentence, number or address. */
function shapeOf(text: string): number {
  const words = text.split(' ').length;
  const length = words === 1 ? 0.7 : words <= 12 ? 1 : 12 / words;
  return length * (/\d/.test(text) ? 0.5 : 1) * (/[.;:,]$/.test(text) ? 0.4 : 1);
}
