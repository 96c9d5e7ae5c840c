import type { Token } from '#src/lib/words.ts';
import type { Phrase } from './fields.ts';
import type { LayoutPage, Segment } from './layout.ts';
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
  private readonly suffixes = new Map<string, string[]>();

  constructor(pages: LayoutPage[]) {
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
    }
  }

  /** Words that end with `word`, as German and Dutch compounds do. */
  private compounds(word: string): string[] {
    if (word.length < 5) return [];
    let found = this.suffixes.get(word);
    if (!found) {
      found = [...this.places.keys()].filter(
        (other) => other.length > word.length + 2 && other.endsWith(word),
      );
      this.suffixes.set(word, found);
    }
    return found;
  }

  find(phrase: Phrase, ownConcepts: ReadonlySet<string>): LabelHit[] {
    const [first, ...rest] = phrase.words;
    if (first === undefined) return [];
    const hits: LabelHit[] = [];
    const starts: [string, number][] = [[first, 1]];
    if (rest.length === 0) for (const compound of this.compounds(first)) starts.push([compound, 0.8]);
    for (const [word, factor] of starts) {
      for (const [segment, index] of this.places.get(word) ?? []) {
        if (!rest.every((next, offset) => isSameWord(segment.tokens[index + 1 + offset]?.word, next)))
          continue;
        const hit = judge(segment, index, phrase, ownConcepts);
        if (hit) hits.push({ ...hit, score: hit.score * factor });
      }
    }
    return hits;
  }
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
  const { tokens, text } = segment;
  const last = index + phrase.words.length - 1;
  let from = index;
  while (
    from > 0 &&
    !breaks(text, tokens[from - 1]!.end, tokens[from]!.start) &&
    !isValue(text, tokens[from - 1]!)
  )
    from--;
  let to = last;
  while (
    to + 1 < tokens.length &&
    !breaks(text, tokens[to]!.end, tokens[to + 1]!.start) &&
    !isValue(text, tokens[to + 1]!)
  ) {
    to++;
  }
  const after = text.slice(tokens[to]!.end);
  const closed = /^\s*(?:[)\]]\s*)?[:#=]|^[\s.*†%()]*$/.test(after) || segment.cell;
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
  if (score < 0.12) return undefined;
  const end = closed ? tokens[to]!.end : tokens[last]!.end;
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
