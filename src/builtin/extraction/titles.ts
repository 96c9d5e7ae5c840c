import type { Block, Page } from '#src/documents/document.ts';
import { largest } from '#src/lib/extremes.ts';
import { countOccurrences, fold, splitIdentifier, splitWords, squash } from '#src/lib/text/words.ts';
import type { Candidate } from './evidence.ts';
import type { Field } from './fields.ts';
import { isPartOfDocument } from './parties/name-words.ts';
import { listBlocks } from './prose/passages.ts';

/** Matches schema fields that ask for the title of the document. Job titles are excluded. */
const ASKS_TITLE =
  /\b(?:(?<!\b(?:job|work|position|professional) )title|heading|headline|titel|titre|titulo|titolo|uberschrift|calls itself|document name|name of (?:the|this) (?:document|report|contract|agreement|policy))\b/;
/**
 * Matches the words after "title of" in a field's description. A course or film is not the document, but an
 * annual report is.
 */
const TITLE_OF = /^title of (?:the |an? |this )?(\p{L}+(?: \p{L}+){0,2})/iu;
/** Matches marks before a title that do not belong to it, such as "Exhibit 4.1" or the marks of headings. */
const NUMBERED_AS =
  /^#{1,6}\s|^\s*(?:exhibit|annex|annexe|anlage|appendix|schedule|anexo)\s[\w.()-]{1,12}\s/i;
const MAX_BLOCKS = 14;
const MAX_TITLE_LENGTH = 200;
const MAX_TEXT_LENGTH = 20_000;

export const asksForTitle = ({ kind, name, description }: Field): boolean =>
  kind === 'text' &&
  ASKS_TITLE.test(fold(`${splitIdentifier(name).join(' ')} ${description}`)) &&
  (TITLE_OF.exec(description)?.[1] ?? 'document').split(' ').some((word) => isPartOfDocument(word));

/** Returns texts of the first page that may be the title: headings, large type and capitals. */
export function findTitleCandidates(pages: readonly Page[]): Candidate[] {
  const [page] = pages.filter(({ text }) => text.trim() !== '');
  if (!page) return [];
  const single = listBlocks(page)
    .slice(0, MAX_BLOCKS)
    .flatMap((block, index) => listTitlePieces(block, page, index))
    .slice(0, MAX_BLOCKS);
  const tallest = largest(
    single.map(({ height }) => height),
    1,
  );
  const text = squash(
    pages
      .slice(0, 2)
      .map((each) => each.text.slice(0, MAX_TEXT_LENGTH))
      .join('\n'),
  );
  const recurring = (piece: Piece) => Math.min(1, (countOccurrences(text, squash(piece.text)) - 1) / 2);
  return single.map((piece) => ({
    value: piece.text,
    spans: [{ page: page.index, text: piece.text }],
    features: {
      title:
        scoreTitleShape(piece.text) *
        (namesDocument(piece.text) ? 1 : UNNAMED_FACTOR) *
        ((piece.isHeading ? 0.3 : 0) + 0.4 * (piece.height / tallest) + 0.3 * getCapitalShare(piece.text)),
      // A text may name itself by its title, as in "This Sponsorship Agreement …".
      heading: recurring(piece),
      position: 1 - piece.index / MAX_BLOCKS,
      type: scoreTitleShape(piece.text),
    },
  }));
}

/** Factor for the score of a title that does not say what kind of document it heads. */
const UNNAMED_FACTOR = 0.6;

/** Returns whether a text says what kind of document it heads, such as "Distribution Agreement". */
export const namesDocument = (text: string): boolean =>
  splitWords(text).some((word) => isPartOfDocument(word, () => true));

interface Piece {
  text: string;
  height: number;
  isHeading: boolean;
  /** Index of the text block on its page. */
  index: number;
}

/**
 * Returns the possible titles in a text block. For a heading or a block with measured words, these are the
 * whole text and each line. For other blocks, only single lines are possible titles.
 */
function listTitlePieces(block: Pick<Block, 'type' | 'text' | 'box'>, page: Page, index: number): Piece[] {
  if (['table', 'figure', 'code', 'footer'].includes(block.type)) return [];
  const isHeading = block.type === 'heading';
  const height = measureTextHeight(block, page);
  const lines = block.text.split('\n').slice(0, MAX_BLOCKS);
  const texts = isHeading || height > 0 ? [lines.join(' '), ...(lines.length > 1 ? lines : [])] : lines;
  return texts
    .map((text) =>
      text
        .replace(NUMBERED_AS, '')
        .replace(/[-–—=_*\s]{3,60}$/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => /\p{L}{3}/u.test(text) && text.length <= MAX_TITLE_LENGTH)
    .map((text) => ({ text, height, isHeading, index }));
}

/** Returns the median height of the words inside the block's box, or 0 if there are none. */
function measureTextHeight({ box }: Pick<Block, 'box'>, page: Page): number {
  if (!box) return 0;
  const heights = page.words.flatMap(([, x, y, w, h]) => {
    const [middleX, middleY] = [x + w / 2, y + h / 2];
    const isInside =
      middleX >= box.x && middleX <= box.x + box.w && middleY >= box.y && middleY <= box.y + box.h;
    return isInside ? [h] : [];
  });
  return heights.sort((left, right) => left - right)[Math.floor(heights.length / 2)] ?? 0;
}

/** Returns the share of longer words that begin with a capital letter, from 0 to 1. */
function getCapitalShare(text: string): number {
  const words = text.match(/\p{L}[\p{L}'’-]{3,}/gu) ?? [];
  return words.filter((word) => /^\p{Lu}/u.test(word)).length / Math.max(1, words.length);
}

/**
 * Returns how much a text looks like a title, from 0 to 1. Long texts, digits and final punctuation lower the
 * score.
 */
function scoreTitleShape(text: string): number {
  const words = text.split(' ').length;
  const length = words === 1 ? 0.7 : words <= 12 ? 1 : 12 / words;
  return length * (/\d/.test(text) ? 0.5 : 1) * (/[.;:,]$/.test(text) ? 0.4 : 1);
}
