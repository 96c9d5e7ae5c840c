import type { Block, Page } from '#src/documents/document.ts';
import { findDates } from '#src/extraction/values/dates.ts';
import { sentenceBounds } from '#src/lib/text/sentences.ts';

/** A sentence of the document's running text, with what stands above it. */
export interface Sentence {
  /** 0-based. */
  page: number;
  /** White space made single blanks. */
  text: string;
  /** The heading of its section and the words that open its paragraph ("7.2 Governing law."), where there are. */
  heading: string;
  /** 0 for the document's first sentence, 1 for its last. */
  position: number;
  /** Sentences of one paragraph have one number. */
  paragraph: number;
}

/** A form that never ends is cut: nobody states a value in more. */
const MAX_SENTENCE_LENGTH = 1_200;
const MAX_SENTENCES = 4_000;
const MAX_HEADING_WORDS = 9;
/** Characters; lines that are shorter on average were not broken for the width of a page. */
const SHORT_LINE_LENGTH = 45;
const MAX_LEAD_WORDS = 6;
const NUMBERING = /^\s*(?:[§#•*–-]{1,3}\s?)?(?:\(?[\dIVXivxa-zA-Z]{1,4}[.)](?:\d{1,3}\.?){0,4}\s+)?/;

/** The running text of pages, sentence by sentence; tables and the edges of pages are left out. */
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

/** The blocks of a page; the whole text where nobody has told them apart. */
export const listBlocks = (page: Page): Pick<Block, 'type' | 'text' | 'box'>[] =>
  page.blocks.length > 0 ? page.blocks : [{ type: 'paragraph', text: page.text }];

interface Paragraph {
  text: string;
  isHeading: boolean;
}

/** Items of a list are paragraphs of their own; lines of a paragraph are one text, unless they are short ones. */
function splitIntoParagraphs(block: Pick<Block, 'type' | 'text'>): Paragraph[] {
  if (['table', 'figure', 'code', 'header', 'footer'].includes(block.type)) return [];
  if (block.type === 'heading') return [{ text: collapseWhiteSpace(block.text), isHeading: true }];
  const lines = block.text.split('\n');
  const areShort = lines.length > 2 && block.text.length / lines.length < SHORT_LINE_LENGTH;
  const texts = block.type === 'list' || areShort ? lines : block.text.split(/\n[^\S\n]{0,20}\n/);
  return texts.map(collapseWhiteSpace).flatMap((text) => (text ? [{ text, isHeading: isTitle(text) }] : []));
}

const collapseWhiteSpace = (text: string) => text.replace(/\s+/g, ' ').trim();

/** A few words without a full stop, most of them capitalised. */
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

/** Words in brackets, and not "(a)" or "(iii)" before an item of its own. */
const IN_BRACKETS = /^\s*\((?!(?:\p{Ll}{1,2}|[ivxlcdm]{1,8})\))\p{Ll}/u;

/** "S.L. (the seller)", "12. Mai": a full stop before a bracket or inside a date ends nothing. */
function continuesSentence(before: string, after: string): boolean {
  const day = /(?<!\d)\d{1,2}\.\s*$/.exec(before)?.[0];
  return IN_BRACKETS.test(after) || (day !== undefined && findDates(`${day} ${after} 2000`).length > 0);
}

/** The few words before the first full stop or colon of a paragraph that goes on after them. */
function findLead(parts: string[]): string | undefined {
  const [first = ''] = parts;
  const inside = /^[^.:]{2,60}[:–]\s/.exec(first.replace(NUMBERING, ''))?.[0];
  const lead = parts.length > 1 ? first.replace(NUMBERING, '') : inside;
  if (!lead || lead.split(' ').length > MAX_LEAD_WORDS) return inside;
  return lead;
}

/** 0..1: how much a line reads like part of a sentence rather than of a form. */
export function measureFlow(text: string): number {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const small = words.filter((word) => /^[\p{Ll}\p{Lo}]/u.test(word)).length;
  return Math.min(1, (1.8 * small) / Math.max(1, words.length)) * Math.min(1, words.length / 7);
}
