import type { Token } from '#src/lib/text/words.ts';
import type { Phrase } from './fields.ts';
import type { LayoutPage, Segment } from './layout.ts';
import type { Dictionaries, Dictionary } from './vocabulary/dictionary.ts';
import { findLabelConcepts } from './vocabulary/labels.ts';

/** Place in the document where the label of a field is printed. */
export interface LabelHit {
  segment: Segment;
  /** End of the label as an offset in the segment's text. */
  end: number;
  /** How well the printed words match the field and nothing else, from 0 to 1. */
  score: number;
  /** True if a colon or the end of the text follows the label, or if the label fills a table cell. */
  closed: boolean;
  inlineOnly: boolean;
}

// Words that may be inside a label without changing its meaning.
const FILLERS = new Set(
  'nr no number num n nummer numero of the le la les de du des der die das den van het een a an your uw ihre ihr votre our in eur usd gbp pln chf inr rs euro euros is this on s am by'.split(
    ' ',
  ),
);

/** Index of the words of all pages, built once per extraction, in which phrases are looked up. */
export class LabelIndex {
  private readonly placesByWord = new Map<string, [Segment, number][]>();
  private readonly placesByMeaning = new Map<string, [Segment, number][]>();

  private readonly words: Dictionaries;

  constructor(pages: LayoutPage[], words: Dictionaries) {
    this.words = words;
    for (const page of pages) {
      for (const line of page.lines) {
        for (const segment of line.segments) this.add(segment);
      }
    }
  }

  private add(segment: Segment): void {
    for (const [index, token] of segment.tokens.entries()) {
      const places = this.placesByWord.get(token.word);
      if (places) places.push([segment, index]);
      else this.placesByWord.set(token.word, [[segment, index]]);
      for (const meaning of this.words.ofDocument(token.word) ?? [token.word]) {
        const listed = this.placesByMeaning.get(meaning);
        if (listed) listed.push([segment, index]);
        else this.placesByMeaning.set(meaning, [[segment, index]]);
      }
    }
  }

  find(phrase: Phrase, ownConcepts: ReadonlySet<string>): LabelHit[] {
    const [first, ...rest] = phrase.words;
    if (first === undefined) return [];
    const hits: LabelHit[] = [];
    for (const [segment, index] of this.placesByWord.get(first) ?? []) {
      if (!rest.every((next, offset) => isSameWord(segment.tokens[index + 1 + offset]?.word, next))) continue;
      const hit = scoreLabel(segment, index, phrase, ownConcepts);
      if (hit) hits.push(hit);
    }
    return [...hits, ...this.findTranslated(phrase, ownConcepts)];
  }

  /**
   * Finds labels that have the same meaning as the phrase in another language. Their words may be in any
   * order or joined in one word.
   */
  private findTranslated(phrase: Phrase, own: ReadonlySet<string>): LabelHit[] {
    const { ofSchema, ofDocument } = this.words;
    const contentWords = phrase.words.filter((word) => !FILLERS.has(word));
    const wanted = new Set(contentWords.flatMap((word) => ofSchema(word) ?? [word]));
    const rarest = [...wanted]
      .filter((meaning) => wanted.size === 1 || !OPTIONAL_WORDS.has(meaning))
      .map((meaning) => this.placesByMeaning.get(meaning) ?? [])
      .sort((left, right) => left.length - right.length)[0];
    const hits = new Map<Segment, LabelHit>();
    for (const [segment, index] of rarest ?? []) {
      const hit = scoreTranslatedLabel(segment, index, wanted, phrase, own, ofDocument);
      if (hit && hit.score > (hits.get(segment)?.score ?? 0)) hits.set(segment, hit);
    }
    return [...hits.values()];
  }
}

/** Certainty, from 0 to 1, that a translation from the dictionary has the meaning of the field. */
const TRANSLATION_CERTAINTY = 0.9;

function scoreTranslatedLabel(
  segment: Segment,
  index: number,
  wanted: ReadonlySet<string>,
  phrase: Phrase,
  own: ReadonlySet<string>,
  printed: Dictionary,
): LabelHit | undefined {
  const { from, to, end, closed } = findWindow(segment, index, index);
  const tokens = segment.tokens.slice(from, to + 1).map(({ word }) => word);
  // Labels that contain the field's own words are found without a dictionary, so they are skipped here.
  if (tokens.length > MAX_LABEL_WORDS || phrase.words.every((word) => tokens.includes(word)))
    return undefined;
  const meanings = tokens
    .filter((word) => word.length > 1 && !FILLERS.has(word))
    .map((word) => printed(word) ?? [word]);
  const matched = [...wanted].filter((meaning) => meanings.some((own) => own.includes(meaning)));
  if (![...wanted].every((meaning) => OPTIONAL_WORDS.has(meaning) || matched.includes(meaning)))
    return undefined;
  const extra = meanings.flat().filter((meaning) => !wanted.has(meaning)).length;
  const score =
    TRANSLATION_CERTAINTY *
    phrase.weight *
    (matched.length / wanted.size) ** 0.5 *
    (matched.length / (matched.length + extra));
  const known = findLabelConcepts(tokens.join(' '));
  if (score < MIN_SCORE || (known && ![...known].some((id) => own.has(id)))) return undefined;
  return { segment, end, score, closed, inlineOnly: phrase.inlineOnly };
}

/** Words that labels often leave out: "Brutto" means the gross amount. */
const OPTIONAL_WORDS = new Set(['amount', 'total', 'number', 'name', 'date', 'value', 'pay', 'salary']);
/** Maximum number of words of a label. */
const MAX_LABEL_WORDS = 6;
const MIN_SCORE = 0.12;

/** Returns the range of words around a label, up to the next break or value, and the end of the label. */
function findWindow({ tokens, text, cell }: Segment, first: number, last: number) {
  const parted = (left: number) => hasBreak(text, tokens[left]!.end, tokens[left + 1]!.start);
  let from = first;
  while (from > 0 && !parted(from - 1) && !isPartOfValue(text, tokens[from - 1]!)) from--;
  let to = last;
  while (to + 1 < tokens.length && !parted(to) && !isPartOfValue(text, tokens[to + 1]!)) to++;
  const end = tokens[to]!.end;
  const closed = /^\s*(?:[)\]]\s*)?[:#=]|^[\s.*†%()°º]*$/.test(text.slice(end)) || cell;
  return { from, to, end, closed };
}

/** Printed forms of the word "number", which count as the same word. */
const NUMBER_WORDS = new Set(['number', 'no', 'nr', 'num', 'n', 'numero', 'nummer', 'numer']);

const isSameWord = (printed: string | undefined, wanted: string) =>
  printed === wanted || (printed !== undefined && NUMBER_WORDS.has(printed) && NUMBER_WORDS.has(wanted));

function scoreLabel(
  segment: Segment,
  index: number,
  phrase: Phrase,
  own: ReadonlySet<string>,
): LabelHit | undefined {
  const { tokens } = segment;
  const last = index + phrase.words.length - 1;
  const { from, to, closed, end: windowEnd } = findWindow(segment, index, last);
  const around = tokens.slice(from, to + 1).map((token) => token.word);
  const extra = tokens
    .slice(from, to + 1)
    .filter((token, at) => (from + at < index || from + at > last) && !FILLERS.has(token.word));
  // If no colon follows a label, the words after it may be its value. They count less against the label than
  // the words before it.
  const before = extra.filter((token) => token.start < tokens[index]!.start).length;
  const behind = extra.length - before;
  const counted = closed ? before + behind : before + Math.min(behind, 3) * 0.7;
  let score = phrase.weight * (phrase.words.length / (phrase.words.length + counted));
  const known = findLabelConcepts(around.join(' '));
  if (known && around.join(' ') !== phrase.words.join(' ') && ![...known].some((id) => own.has(id)))
    score *= 0.3;
  if (around.length > 9) score *= 0.4;
  if (score < MIN_SCORE) return undefined;
  const end = closed ? windowEnd : tokens[last]!.end;
  return { segment, end, score, closed, inlineOnly: phrase.inlineOnly };
}

function hasBreak(text: string, from: number, to: number): boolean {
  return /[:;|•·●=]|\s[-–]\s|[€$£]/.test(text.slice(from, to));
}

/**
 * Returns whether a word contains a digit or belongs to a longer word that does, such as the letters of
 * "TX-471".
 */
function isPartOfValue(text: string, token: Token): boolean {
  const start = text.lastIndexOf(' ', token.start) + 1;
  const end = text.indexOf(' ', token.end);
  return /\d/.test(text.slice(start, end < 0 ? undefined : end));
}

/** Returns whether a text is a label rather than a value. */
export function looksLikeLabel(segment: Segment): boolean {
  const next = segment.page.lines[segment.line]?.segments[segment.index + 1];
  if (next && /^\s*:/.test(next.text)) return true;
  if (/:\s*$/.test(segment.text)) return true;
  if (/\d/.test(segment.text)) return false;
  return findLabelConcepts(segment.tokens.map((token) => token.word).join(' ')) !== undefined;
}
