import type { Block, Page } from '#src/documents/document.ts';
import { findDates } from '#src/extraction/values/dates.ts';
import { sentenceBounds } from '#src/lib/text/sentences.ts';

/** A sentence of the document's running text, with the headings above it. */
export interface Sentence {
  /** Index of the page, from 0. */
  page: number;
  /** Text of the sentence, with white space reduced to single blanks. */
  text: string;
  /**
   * Heading of the section, and the words that open the paragraph, as in "7.2 Governing law.". Empty if there
   * are none.
   */
  heading: string;
  /** Position in the document, from 0 for the first sentence to 1 for the last one. */
  position: number;
  /** Number of the paragraph. Sentences of one paragraph have the same number. */
  paragraph: number;
}

/**
 * Maximum length of a sentence in characters. Longer text is cut, because nobody states a value in a longer
 * sentence.
 */
const MAX_SENTENCE_LENGTH = 1_200;
const MAX_SENTENCES = 4_000;
const MAX_HEADING_WORDS = 9;
/**
 * Average line length in characters below which each line is a paragraph. Longer lines were broken to fit the
 * width of a page.
 */
const SHORT_LINE_LENGTH = 45;
const MAX_LEAD_WORDS = 6;
const NUMBERING = /^\s*(?:[§#•*–-]{1,3}\s?)?(?:\(?[\dIVXivxa-zA-Z]{1,4}[.)](?:\d{1,3}\.?){0,4}\s+)?/;

/**
 * Returns the running text of pages, sentence by sentence. Tables, figures, code, headers and footers are
 * left out.
 */
export function listSentences(pages: readonly Page[]): Sentence[] {
  const out: Omit<Sentence, 'position'>[] = [];
  let heading = '';
  let paragraph = 0;
  for (const page of pages) {
    for (const text of listBlocks(page).flatMap(splitIntoParagraphs)) {
      if (out.length >= MAX_SENTENCES) break;
      paragraph++;
      if (text.isHeading) heading = text.text;
      const parts = splitIntoSentences(text.text);
      const lead = findLead(parts);
      for (const part of parts) {
        out.push({ page: page.index, text: part, heading: lead ? `${heading} ${lead}` : heading, paragraph });
      }
    }
  }
  return out.map((sentence, index) => ({ ...sentence, position: index / Math.max(1, out.length - 1) }));
}

/** Returns the blocks of a page, or the whole text as one block if the page has none. */
export const listBlocks = (page: Page): Pick<Block, 'type' | 'text' | 'box'>[] =>
  page.blocks.length > 0 ? page.blocks : [{ type: 'paragraph', text: page.text }];

interface Paragraph {
  text: string;
  isHeading: boolean;
}

/**
 * Splits a block into paragraphs. Lists and blocks with short lines are split at every line, other blocks at
 * blank lines.
 */
function splitIntoParagraphs(block: Pick<Block, 'type' | 'text'>): Paragraph[] {
  if (['table', 'figure', 'code', 'header', 'footer'].includes(block.type)) return [];
  if (block.type === 'heading') return [{ text: collapseWhiteSpace(block.text), isHeading: true }];
  const lines = block.text.split('\n');
  const areShort = lines.length > 2 && block.text.length / lines.length < SHORT_LINE_LENGTH;
  const texts = block.type === 'list' || areShort ? lines : block.text.split(/\n[^\S\n]{0,20}\n/);
  return texts.map(collapseWhiteSpace).flatMap((text) => (text ? [{ text, isHeading: isTitle(text) }] : []));
}

const collapseWhiteSpace = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns whether a text is a title: a few words without a full stop, at least half of them capitalised. */
function isTitle(text: string): boolean {
  const words = text.replace(NUMBERING, '').match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  if (words.length === 0 || words.length > MAX_HEADING_WORDS || /[.!?;,:]$|\d{3}/.test(text)) return false;
  return words.filter((word) => /^\p{Lu}/u.test(word)).length >= words.length / 2;
}

function splitIntoSentences(text: string): string[] {
  const bounds: [number, number][] = [];
  for (const [start, end] of sentenceBounds(text)) {
    const last = bounds.at(-1);
    if (
      last &&
      continuesSentence(text.slice(Math.max(last[0], last[1] - 12), last[1]), text.slice(start, start + 20))
    )
      last[1] = end;
    else bounds.push([start, end]);
  }
  return bounds.flatMap(([start, end]) => {
    const sentence = text.slice(start, Math.min(end, start + MAX_SENTENCE_LENGTH)).trim();
    return /[\p{L}\p{N}]/u.test(sentence) ? [sentence] : [];
  });
}

/** Matches lower-case words in brackets, but not the number of a list item such as "(a)" or "(iii)". */
const IN_BRACKETS = /^\s*\((?!(?:\p{Ll}{1,2}|[ivxlcdm]{1,8})\))\p{Ll}/u;

/**
 * Returns whether a sentence continues after a full stop: before words in brackets, as in "S.L. (the
 * seller)", or inside a date, as in "12. Mai".
 */
function continuesSentence(before: string, after: string): boolean {
  const day = /(?<!\d)\d{1,2}\.\s*$/.exec(before)?.[0];
  return IN_BRACKETS.test(after) || (day !== undefined && findDates(`${day} ${after} 2000`).length > 0);
}

/**
 * Returns a short heading at the beginning of a paragraph, which ends at the first full stop or colon.
 * Returns undefined if no text follows such a heading.
 */
function findLead(parts: string[]): string | undefined {
  const [first = ''] = parts;
  const inside = /^[^.:]{2,60}[:–]\s/.exec(first.replace(NUMBERING, ''))?.[0];
  const lead = parts.length > 1 ? first.replace(NUMBERING, '') : inside;
  if (!lead || lead.split(' ').length > MAX_LEAD_WORDS) return inside;
  return lead;
}

/** Returns how much a text reads like a sentence rather than a line of a form, from 0 to 1. */
export function measureFlow(text: string): number {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const small = words.filter((word) => /^[\p{Ll}\p{Lo}]/u.test(word)).length;
  return Math.min(1, (1.8 * small) / Math.max(1, words.length)) * Math.min(1, words.length / 7);
}
