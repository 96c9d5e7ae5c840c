import type { Page } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { squash, tokenize } from '#src/lib/text/words.ts';
import { type Analysis, getAnalysis } from '../../terms.ts';
import type { WordWeight } from '../../word-weight.ts';
import type { Dictionaries } from '../vocabulary/dictionary.ts';
import { listSentences, measureFlow, type Sentence } from './passages.ts';
import { getTerms, type Question } from './question.ts';

export interface Stem {
  stem: string;
  start: number;
  end: number;
}

export interface Passage extends Sentence {
  stems: Stem[];
  headings: ReadonlySet<string>;
  /** Index of the sentence in the document. */
  index: number;
  /** How much the text reads like a sentence rather than a line of a form, from 0 to 1. */
  flow: number;
}

/** How well a passage matches a question. */
export interface PassageMatch {
  passage: Passage;
  /**
   * Share of the question's terms that the passage contains, weighted by rarity, from 0 to 1. Terms of its
   * heading and of neighbouring sentences count partly.
   */
  coverage: number;
  /** Share of the question's terms that the heading contains, from 0 to 1. */
  heading: number;
  /**
   * Total weight of the matched terms, independent of the length of the question, from 0 to 1. Three rare
   * words give 1.
   */
  matchedWeight: number;
  /** Words of the passage that occur in the question, with the index and weight of their term. */
  matched: (Stem & { term: number; weight: number })[];
}

/**
 * Weight of a term of the question that does not occur in the document. It is low, because the document may
 * use other words.
 */
const ABSENT_TERM_WEIGHT = 0.4;
const FROM_HEADING = 0.6;
const FROM_NEIGHBOUR = 0.3;
const MAX_PASSAGES = 20;
/**
 * Minimum total weight of a question's terms. Without this minimum, a single common word would count as a
 * full match.
 */
const MIN_QUESTION_WEIGHT = 0.8;
/** Number of rare words in one sentence that give the maximum value of `matchedWeight`. */
const FULL_MATCH_WORDS = 3;
/** Number of sentences at the beginning of a document that usually name its kind, parties and date. */
export const OPENING = 4;
/** Matches a defined short name in brackets, such as: (the “Seller”). */
const DEFINED = /\([^()"“„«]{0,40}["“„«]\s?([^"“”„«»()]{1,60})["”“»][^()]{0,60}\)/gu;

const QUOTED = /["“„«]\s?([^"“”„«»()]{1,60}?)[.,]?\s?["”“»]/gu;

/** Running text of a document, searchable by the words of a question. */
export class Prose {
  readonly analysis: Analysis;
  readonly weight: WordWeight;
  readonly words: Dictionaries;
  private readonly pages: readonly Page[];
  private known: ReturnType<Prose['readAll']> | undefined;

  constructor(pages: readonly Page[], weight: WordWeight, words: Dictionaries) {
    const sample = pages.slice(0, 3).map((page) => page.text.slice(0, 3_000));
    this.analysis = getAnalysis(detectLanguage(sample.join('\n')), sample.join('\n'));
    this.weight = weight;
    this.words = words;
    this.pages = pages;
  }

  get passages(): Passage[] {
    return this.read().passages;
  }

  /** Returns whether a word is a stop word in the document's language. */
  readonly isStopWord = (word: string): boolean => this.analysis.read(word).meaningful.length === 0;

  /** Returns the share of a name's words that the document never writes in lower case, from 0 to 1. */
  getProperShare(name: string): number {
    const words = name.match(/\p{L}[\p{L}\p{M}'’-]+/gu) ?? [];
    const small = words.filter((word) => this.read().lowerCaseWords.has(word.toLowerCase())).length;
    return words.length === 0 ? 0 : 1 - small / words.length;
  }

  /** Returns whether the document gives a name in quotes, as it does where it defines a short name. */
  isQuoted(name: string): boolean {
    return this.read().quoted.has(squash(name));
  }

  /** Returns whether the document quotes a word or its singular, as it does for terms that it defines. */
  isTerm(name: string): boolean {
    const { terms } = this.read();
    return terms.has(squash(name)) || terms.has(squash(name.replace(/s$/, '')));
  }

  private read() {
    this.known ??= this.readAll();
    return this.known;
  }

  private readAll() {
    const passages = listSentences(this.pages).map((sentence, index) => ({
      ...sentence,
      index,
      stems: this.listStems(sentence.text),
      headings: new Set(this.listStems(sentence.heading).map(({ stem }) => stem)),
      flow: measureFlow(sentence.text),
    }));
    const sentencesWith = new Map<string, number>();
    for (const { stems, headings } of passages) {
      for (const stem of new Set([...stems.map((each) => each.stem), ...headings]))
        sentencesWith.set(stem, (sentencesWith.get(stem) ?? 0) + 1);
    }
    const texts = passages.map(({ text }) => text);
    const lowerCaseWords = new Set(
      texts.flatMap((text) => text.match(/(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}'’-]+/gu) ?? []),
    );
    const quoted = new Set(
      texts.flatMap((text) => [...text.matchAll(DEFINED)].map((match) => squash(match[1]!))),
    );
    const terms = new Set(
      texts.flatMap((text) => [...text.matchAll(QUOTED)].map((match) => squash(match[1]!))),
    );
    return { passages, sentencesWith, lowerCaseWords, quoted, terms };
  }

  listStems(text: string): Stem[] {
    return tokenize(text).flatMap(({ word, start, end }) => {
      return getTerms(word, this.analysis.terms(text.slice(start, end)), this.words.ofDocument).map(
        (stem) => ({
          stem,
          start,
          end,
        }),
      );
    });
  }

  /**
   * Returns the passages that match the question best, best first, followed by the document's first
   * sentences.
   */
  findPassages({ terms }: Question): PassageMatch[] {
    const { passages, sentencesWith } = this.read();
    const worth = new Map<string, { term: number; weight: number }>();
    let total = 0;
    for (const [index, { stem, weight, isSynonym }] of terms.entries()) {
      const sentenceCount = sentencesWith.get(stem) ?? 0;
      if (isSynonym && sentenceCount === 0) continue;
      const rarity = sentenceCount > 0 ? computeRarity(sentenceCount, passages.length) : ABSENT_TERM_WEIGHT;
      const own = weight * rarity;
      total += own;
      if (sentenceCount > 0 && own > (worth.get(stem)?.weight ?? 0))
        worth.set(stem, { term: index, weight: own });
    }
    const ownWeights = passages.map(({ stems }) =>
      weighStems(
        stems.map(({ stem }) => stem),
        worth,
      ),
    );
    const found = passages.map((passage, index) => {
      const own = ownWeights[index]!;
      const heading = weighStems(passage.headings, worth);
      const near = [index - 1, index + 1].filter((at) => passages[at]?.paragraph === passage.paragraph);
      const sum = new Map(own);
      for (const [term, weight] of heading) raiseWeight(sum, term, weight * FROM_HEADING);
      for (const at of near)
        for (const [term, weight] of ownWeights[at]!) raiseWeight(sum, term, weight * FROM_NEIGHBOUR);
      return {
        passage,
        coverage: Math.min(1, sumWeights(sum) / Math.max(total, MIN_QUESTION_WEIGHT)),
        heading: Math.min(1, sumWeights(heading) / Math.max(total, MIN_QUESTION_WEIGHT)),
        matchedWeight: Math.min(1, sumWeights(own) / FULL_MATCH_WORDS),
        matched: passage.stems.flatMap((stem) => {
          const known = worth.get(stem.stem);
          return known ? [{ ...stem, ...known }] : [];
        }),
      };
    });
    const opening = found.slice(0, OPENING);
    const best = found
      .filter(({ coverage }) => coverage > 0)
      .sort((left, right) => right.coverage - left.coverage)
      .slice(0, MAX_PASSAGES);
    return [...best, ...opening.filter((each) => !best.includes(each))];
  }
}

function weighStems(stems: Iterable<string>, worth: Map<string, { term: number; weight: number }>) {
  const weights = new Map<number, number>();
  for (const stem of stems) {
    const known = worth.get(stem);
    if (known) raiseWeight(weights, known.term, known.weight);
  }
  return weights;
}

function raiseWeight(weights: Map<number, number>, term: number, weight: number): void {
  weights.set(term, Math.max(weights.get(term) ?? 0, weight));
}

const sumWeights = (weights: Map<number, number>) =>
  [...weights.values()].reduce((sum, weight) => sum + weight, 0);

/** Returns the rarity of a term: 1 if one sentence contains it, falling to 0.1 if all sentences do. */
function computeRarity(sentenceCount: number, sentences: number): number {
  const idf = (count: number) => Math.log(1 + (sentences - count + 0.5) / (count + 0.5));
  return Math.max(0.1, Math.min(1, idf(Math.min(sentenceCount, sentences)) / idf(Math.min(1, sentences))));
}
