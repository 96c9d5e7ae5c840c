import { findMarks } from './citations.ts';
import type { FoundChunk } from './job.ts';

/** Maximum number of quotes of an answer that are located, and maximum length of each in characters. */
const MAX_QUOTES = 40;
const MAX_QUOTE_LENGTH = 1_000;
/** Maximum number of characters of a passage that are searched. A passage may be a whole file. */
const MAX_PASSAGE_LENGTH = 200_000;
/** Maximum number of searches for quotes, and of characters of all passages together that are searched. */
const MAX_SEARCHES = 400;
const MAX_CHARACTERS = 1_000_000;
/** Minimum number of letters and digits of a quote. Shorter texts may occur anywhere. */
const MIN_LETTERS = 8;

/** Part of a cited passage that the answer quotes. */
export interface CitedSentence {
  citation: number;
  /** The passage, reduced to the quoted sentence. */
  sentence: FoundChunk;
  /** Position of the quoted sentence in the text of the passage. */
  range: TextRange;
}

/** Range in a text, as offsets in UTF-16 code units. `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/**
 * Finds the sentences that an answer quotes from the passages that it cites. Each mark cites the text between the
 * previous mark and itself. Text that is not in the passage word for word is left out. Punctuation, spaces,
 * Markdown and capital letters may differ.
 */
export function findCitedSentences(answer: string, found: readonly FoundChunk[]): CitedSentence[] {
  const folded = new Map<number, Folded>();
  const sentences: CitedSentence[] = [];
  let quote = '';
  let end = 0;
  let searches = 0;
  let left = MAX_CHARACTERS;
  for (const mark of findMarks(answer)) {
    const between = answer.slice(end, mark.start).trim();
    // Marks that stand directly beside each other cite the same text.
    if (between !== '') quote = fold(between.slice(0, MAX_QUOTE_LENGTH)).text;
    end = mark.end;
    if (quote.length < MIN_LETTERS) continue;
    for (const citation of mark.cited) {
      const passage = found[citation - 1];
      if (!passage) continue;
      if (sentences.length === MAX_QUOTES || searches === MAX_SEARCHES) return sentences;
      searches += 1;
      let own = folded.get(citation);
      if (!own) {
        const text = passage.chunk.text.slice(0, Math.min(MAX_PASSAGE_LENGTH, left));
        left -= text.length;
        own = fold(text);
        folded.set(citation, own);
      }
      const at = own.text.indexOf(quote);
      if (at < 0) continue;
      const range = { start: own.starts[at]!, end: own.ends[at + quote.length - 1]! };
      sentences.push({ citation, sentence: reduceTo(passage, range), range });
    }
  }
  return sentences;
}

function reduceTo(passage: FoundChunk, { start, end }: TextRange): FoundChunk {
  const { text, startChar } = passage.chunk;
  const chunk = {
    ...passage.chunk,
    text: text.slice(start, end),
    startChar: startChar + start,
    endChar: startChar + end,
  };
  return { ...passage, chunk };
}

/** Letters, marks and digits of a text in lower case, and where each of them begins and ends in the text. */
interface Folded {
  text: string;
  starts: number[];
  ends: number[];
}

function fold(text: string): Folded {
  const starts: number[] = [];
  const ends: number[] = [];
  let letters = '';
  for (const { 0: letter, index } of text.matchAll(/[\p{L}\p{M}\p{N}]/gu)) {
    const lower = letter.toLowerCase();
    letters += lower;
    for (let unit = 0; unit < lower.length; unit += 1) {
      starts.push(index);
      ends.push(index + letter.length);
    }
  }
  return { text: letters, starts, ends };
}
