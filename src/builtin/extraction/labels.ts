import type { Token } from '#src/lib/text/words.ts';
import type { Phrase } from './fields.ts';
import type { LayoutPage, Segment } from './layout.ts';
import type { Dictionaries, Dictionary } from './vocabulary/dictionary.ts';
import { conceptsOfLabel } from './vocabulary/labels.ts';

/** A place where the document says a field's name. */
export interface LabelHit {
  segment: Segment;
  /** Where the label ends in the segment's text. */
  end: number;
  /** 0..1: how well the words on paper are the field's and nothing else's. */
  score: number;
  /** A colon or the end of the piece closes the label. */
  closed: boolean;
  inlineOnly: boolean;
}

// Words that may stand inside a label without changing what it names.
const FILLERS = new Set(
  'nr no number num n nummer numero of the le la les de du des der die das den van het een a an your uw ihre ihr votre our in eur usd gbp pln chf inr rs euro euros is this on s am by'.split(
    ' ',
  ),
);

/** Finds phrases among the words of all pages; built once per extraction. */
export class LabelIndex {
  private readonly places = new Map<string, [Segment, number][]>();
  private readonly meant = new Map<string, [Segment, number][]>();

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
      const places = this.places.get(token.word);
      if (places) places.push([segment, index]);
      else this.places.set(token.word, [[segment, index]]);
      for (const meaning of this.words.printed(token.word) ?? [token.word]) {
        const meant = this.meant.get(meaning);
        if (meant) meant.push([segment, index]);
        else this.meant.set(meaning, [[segment, index]]);
      }
    }
  }

  find(phrase: Phrase, ownConcepts: ReadonlySet<string>): LabelHit[] {
    const [first, ...rest] = phrase.words;
    if (first === undefined) return [];
    const hits: LabelHit[] = [];
    for (const [segment, index] of this.places.get(first) ?? []) {
      if (!rest.every((next, offset) => isSameWord(segment.tokens[index + 1 + offset]?.word, next))) continue;
      const hit = judge(segment, index, phrase, ownConcepts);
      if (hit) hits.push(hit);
    }
    return [...hits, ...this.findMeant(phrase, ownConcepts)];
  }

  /** Labels that say the same in another language, in whatever order, in one word or in several. */
  private findMeant(phrase: Phrase, own: ReadonlySet<string>): LabelHit[] {
    const { asked, printed } = this.words;
    const telling = phrase.words.filter((word) => !FILLERS.has(word));
    const wanted = new Set(telling.flatMap((word) => asked(word) ?? [word]));
    const rarest = [...wanted]
      .filter((meaning) => wanted.size === 1 || !UNSAID.has(meaning))
      .map((meaning) => this.meant.get(meaning) ?? [])
      .sort((left, right) => left.length - right.length)[0];
    const hits = new Map<Segment, LabelHit>();
    for (const [segment, index] of rarest ?? []) {
      const hit = judgeMeant(segment, index, wanted, phrase, own, printed);
      if (hit && hit.score > (hits.get(segment)?.score ?? 0)) hits.set(segment, hit);
    }
    return [...hits.values()];
  }
}

/** How sure it is that words of the dictionary are meant as the field means them. */
const TRANSLATED = 0.9;

function judgeMeant(
  segment: Segment,
  index: number,
  wanted: ReadonlySet<string>,
  phrase: Phrase,
  own: ReadonlySet<string>,
  printed: Dictionary,
): LabelHit | undefined {
  const { from, to, end, closed } = windowAround(segment, index, index);
  const tokens = segment.tokens.slice(from, to + 1).map(({ word }) => word);
  // What is written as the field is called is found without a dictionary.
  if (tokens.length > MOST_MEANT || phrase.words.every((word) => tokens.includes(word))) return undefined;
  const meant = tokens
    .filter((word) => word.length > 1 && !FILLERS.has(word))
    .map((word) => printed(word) ?? [word]);
  const said = [...wanted].filter((meaning) => meant.some((own) => own.includes(meaning)));
  if (![...wanted].every((meaning) => UNSAID.has(meaning) || said.includes(meaning))) return undefined;
  const extra = meant.flat().filter((meaning) => !wanted.has(meaning)).length;
  const score =
    TRANSLATED * phrase.weight * (said.length / wanted.size) ** 0.5 * (said.length / (said.length + extra));
  const known = conceptsOfLabel(tokens.join(' '));
  if (score < LEAST_SCORE || (known && ![...known].some((id) => own.has(id)))) return undefined;
  return { segment, end, score, closed, inlineOnly: phrase.inlineOnly };
}

/** What labels leave out: "Brutto" is the gross amount. */
const UNSAID = new Set(['amount', 'total', 'number', 'name', 'date', 'value', 'pay', 'salary']);
/** Longer pieces are no labels. */
const MOST_MEANT = 6;
const LEAST_SCORE = 0.12;

/** The words that stand together with those from the first to the last, and where a label of them ends. */
function windowAround({ tokens, text, cell }: Segment, first: number, last: number) {
  const parted = (left: number) => breaks(text, tokens[left]!.end, tokens[left + 1]!.start);
  let from = first;
  while (from > 0 && !parted(from - 1) && !isValue(text, tokens[from - 1]!)) from--;
  let to = last;
  while (to + 1 < tokens.length && !parted(to) && !isValue(text, tokens[to + 1]!)) to++;
  const end = tokens[to]!.end;
  const closed = /^\s*(?:[)\]]\s*)?[:#=]|^[\s.*†%()°º]*$/.test(text.slice(end)) || cell;
  return { from, to, end, closed };
}

/** What languages print for "number", which schemas spell out. */
const NUMBER = new Set(['number', 'no', 'nr', 'num', 'n', 'numero', 'nummer', 'numer']);

const isSameWord = (printed: string | undefined, wanted: string) =>
  printed === wanted || (printed !== undefined && NUMBER.has(printed) && NUMBER.has(wanted));

function judge(
  segment: Segment,
  index: number,
  phrase: Phrase,
  own: ReadonlySet<string>,
): LabelHit | undefined {
  const { tokens } = segment;
  const last = index + phrase.words.length - 1;
  const { from, to, closed, end: windowEnd } = windowAround(segment, index, last);
  const around = tokens.slice(from, to + 1).map((token) => token.word);
  const extra = tokens
    .slice(from, to + 1)
    .filter((token, at) => (from + at < index || from + at > last) && !FILLERS.has(token.word));
  // Text that runs on after an unclosed label may be its value, so only what stands before it counts against it.
  const before = extra.filter((token) => token.start < tokens[index]!.start).length;
  const behind = extra.length - before;
  const counted = closed ? before + behind : before + Math.min(behind, 3) * 0.7;
  let score = phrase.weight * (phrase.words.length / (phrase.words.length + counted));
  const known = conceptsOfLabel(around.join(' '));
  if (known && around.join(' ') !== phrase.words.join(' ') && ![...known].some((id) => own.has(id)))
    score *= 0.3;
  if (around.length > 9) score *= 0.4;
  if (score < LEAST_SCORE) return undefined;
  const end = closed ? windowEnd : tokens[last]!.end;
  return { segment, end, score, closed, inlineOnly: phrase.inlineOnly };
}

function breaks(text: string, from: number, to: number): boolean {
  return /[:;|•·●=]|\s[-–]\s|[€$£]/.test(text.slice(from, to));
}

/** A word with a digit, or part of one as the letters of "TX-471". */
function isValue(text: string, token: Token): boolean {
  const start = text.lastIndexOf(' ', token.start) + 1;
  const end = text.indexOf(' ', token.end);
  return /\d/.test(text.slice(start, end < 0 ? undefined : end));
}

/** Whether a piece of text is a label rather than a value. */
export function looksLikeLabel(segment: Segment): boolean {
  const next = segment.page.lines[segment.line]?.segments[segment.index + 1];
  if (next && /^\s*:/.test(next.text)) return true;
  if (/:\s*$/.test(segment.text)) return true;
  if (/\d/.test(segment.text)) return false;
  return conceptsOfLabel(segment.tokens.map((token) => token.word).join(' ')) !== undefined;
}
