import type { Page } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { squash, tokensOf } from '#src/lib/text/words.ts';
import { type Analysis, analysisFor } from '../../terms.ts';
import type { WordWeight } from '../../word-weight.ts';
import type { Dictionaries } from '../vocabulary/dictionary.ts';
import { flowOf, type Sentence, sentencesOf } from './passages.ts';
import { type Question, termsOf } from './question.ts';

export interface Stem {
  stem: string;
  start: number;
  end: number;
}

/** A sentence and its stems in order. */
export interface Passage extends Sentence {
  stems: Stem[];
  headings: ReadonlySet<string>;
  /** Its place among the document's sentences. */
  index: number;
  /** 0..1: how much it reads like a sentence rather than a line of a form. */
  flow: number;
}

/** What a passage says of a question. */
export interface Answering {
  passage: Passage;
  /** 0..1: how much of what is asked it says, its heading and its neighbours helping. */
  coverage: number;
  /** How much of it the heading says. */
  heading: number;
  /** 0..1: how much that is in all, whatever share of what is asked: 1 for three rare words. */
  telling: number;
  /** The words of the question in it, with what each is worth. */
  matched: (Stem & { term: number; weight: number })[];
}

/** What a term that the document never says counts for: it may say the same in other words. */
const WORTH_UNSAID = 0.4;
const FROM_HEADING = 0.6;
const FROM_NEIGHBOUR = 0.3;
const MOST_PASSAGES = 20;
/** A question of one common word is hardly answered by a sentence that has it. */
const LEAST_ASKED = 0.8;
/** Rare words of a question that say as much as can be said, found in one sentence. */
const TELLING = 3;
/** What stands first says what the document is, who made it and when. */
export const OPENING = 4;
/** "(the “Seller”)": where a text defines a short name it gives it in brackets. */
const DEFINED = /\([^()"“„«]{0,40}["“„«]\s?([^"“”„«»()]{1,60})["”“»][^()]{0,60}\)/gu;

/** The running text of a document, to be asked by its words. */
export class Prose {
  readonly analysis: Analysis;
  readonly weight: WordWeight;
  readonly words: Dictionaries;
  private readonly pages: readonly Page[];
  private known: ReturnType<Prose['readAll']> | undefined;

  constructor(pages: readonly Page[], weight: WordWeight, words: Dictionaries) {
    const sample = pages.slice(0, 3).map((page) => page.text.slice(0, 3_000));
    this.analysis = analysisFor(detectLanguage(sample.join('\n')), sample.join('\n'));
    this.weight = weight;
    this.words = words;
    this.pages = pages;
  }

  get passages(): Passage[] {
    return this.read().passages;
  }

  /** Whether a word is one of the small ones of the document's language. */
  readonly isSmall = (word: string): boolean => this.analysis.read(word).meaningful.length === 0;

  /** 0..1: how much of a name is never written in small letters. */
  properOf(name: string): number {
    const words = name.match(/\p{L}[\p{L}\p{M}'’-]+/gu) ?? [];
    const small = words.filter((word) => this.read().smallWords.has(word.toLowerCase())).length;
    return words.length === 0 ? 0 : 1 - small / words.length;
  }

  /** Whether the document gives a name in quotes, as it does where it defines a short one. */
  isQuoted(name: string): boolean {
    return this.read().quoted.has(squash(name));
  }

  private read() {
    this.known ??= this.readAll();
    return this.known;
  }

  private readAll() {
    const passages = sentencesOf(this.pages).map((sentence, index) => ({
      ...sentence,
      index,
      stems: this.stemsOf(sentence.text),
      headings: new Set(this.stemsOf(sentence.heading).map(({ stem }) => stem)),
      flow: flowOf(sentence.text),
    }));
    const sentencesWith = new Map<string, number>();
    for (const { stems, headings } of passages) {
      for (const stem of new Set([...stems.map((each) => each.stem), ...headings]))
        sentencesWith.set(stem, (sentencesWith.get(stem) ?? 0) + 1);
    }
    const texts = passages.map(({ text }) => text);
    const smallWords = new Set(
      texts.flatMap((text) => text.match(/(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}'’-]+/gu) ?? []),
    );
    const quoted = new Set(
      texts.flatMap((text) => [...text.matchAll(DEFINED)].map((match) => squash(match[1]!))),
    );
    return { passages, sentencesWith, smallWords, quoted };
  }

  stemsOf(text: string): Stem[] {
    return tokensOf(text).flatMap(({ word, start, end }) => {
      return termsOf(word, this.analysis.terms(text.slice(start, end)), this.words.printed).map((stem) => ({
        stem,
        start,
        end,
      }));
    });
  }

  /** The passages that say most of what is asked, best first. */
  ask({ terms }: Question): Answering[] {
    const { passages, sentencesWith } = this.read();
    const worth = new Map<string, { term: number; weight: number }>();
    let total = 0;
    for (const [index, { stem, weight, isOther }] of terms.entries()) {
      const said = sentencesWith.get(stem) ?? 0;
      if (isOther && said === 0) continue;
      const rarity = said > 0 ? rarityOf(said, passages.length) : WORTH_UNSAID;
      const own = weight * rarity;
      total += own;
      if (said > 0 && own > (worth.get(stem)?.weight ?? 0)) worth.set(stem, { term: index, weight: own });
    }
    const said = passages.map(({ stems }) =>
      saidBy(
        stems.map(({ stem }) => stem),
        worth,
      ),
    );
    const found = passages.map((passage, index) => {
      const own = said[index]!;
      const heading = saidBy(passage.headings, worth);
      const near = [index - 1, index + 1].filter((at) => passages[at]?.paragraph === passage.paragraph);
      const sum = new Map(own);
      for (const [term, weight] of heading) raise(sum, term, weight * FROM_HEADING);
      for (const at of near)
        for (const [term, weight] of said[at]!) raise(sum, term, weight * FROM_NEIGHBOUR);
      return {
        passage,
        coverage: Math.min(1, add(sum) / Math.max(total, LEAST_ASKED)),
        heading: Math.min(1, add(heading) / Math.max(total, LEAST_ASKED)),
        telling: Math.min(1, add(own) / TELLING),
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
      .slice(0, MOST_PASSAGES);
    return [...best, ...opening.filter((each) => !best.includes(each))];
  }
}

function saidBy(stems: Iterable<string>, worth: Map<string, { term: number; weight: number }>) {
  const said = new Map<number, number>();
  for (const stem of stems) {
    const known = worth.get(stem);
    if (known) raise(said, known.term, known.weight);
  }
  return said;
}

function raise(said: Map<number, number>, term: number, weight: number): void {
  said.set(term, Math.max(said.get(term) ?? 0, weight));
}

const add = (said: Map<number, number>) => [...said.values()].reduce((sum, weight) => sum + weight, 0);

/** 1 for what one sentence alone says, towards 0 for what each does. */
function rarityOf(said: number, sentences: number): number {
  const idf = (count: number) => Math.log(1 + (sentences - count + 0.5) / (count + 0.5));
  return Math.max(0.1, Math.min(1, idf(Math.min(said, sentences)) / idf(Math.min(1, sentences))));
}
