import { sentenceBounds } from '#src/lib/text/sentences.ts';
import { citedIn } from './citations.ts';

/** A piece of an answer, or a citation that was taken out of it. */
export type CheckedPiece =
  | { type: 'text'; delta: string }
  | { type: 'dropped'; citation: number; statement: string; reason: string };

/** Why a passage, by its number, does not bear a statement out; undefined when it does. */
export type Check = (citation: number, statement: string) => string | undefined;

const MARK = /\s?\[\d{1,3}(?:\s{0,3}[,;–-]\s{0,3}\d{1,3}){0,20}\]/gu;
/** What may become a mark, at the end of what has come so far. */
const BEGUN = /\s?\[[\d\s,;–-]{0,100}$|\s$/u;
const ONLY_BEGUN = /^\s?(?:\[[\d\s,;–-]{0,100})?$/u;
const ENDED = /[.!?…؟۔।॥。！？｡．\n]["'”’»)\]」』）\s]{0,8}$/u;
/** Where a sentence ends behind a mark; not at the point of a decimal number. */
const END = /[.!?…؟۔।॥]["'”’»)]{0,8}(?=\s)|[。！？｡．][”’」』）]{0,8}|\n/u;
/** No more of a sentence is held back, or remembered. */
const LONGEST_HELD = 1_000;

/**
 * An answer with those marks alone that its passages bear out. Text goes on as it comes; from a mark on it waits
 * until the sentence is whole that the mark is part of. A mark stands for what was said since the one before it,
 * or for its whole sentence.
 */
export async function* checkedMarks(text: AsyncIterable<string>, check: Check): AsyncGenerator<CheckedPiece> {
  const sentence = new Sentence();
  let held = '';
  for await (const delta of text) {
    held += delta;
    for (let end = readyIn(held, sentence); end > 0; end = readyIn(held, sentence)) {
      yield* judged(held.slice(0, end), sentence, check);
      held = held.slice(end);
    }
  }
  yield* judged(held, sentence, check);
}

/** The last sentence that was passed on, without its marks. */
class Sentence {
  text = '';
  /** How much of it was said when the last mark came, and when the one before that came. */
  #marked = 0;
  #markedBefore = 0;

  add(text: string): void {
    const all = this.text + text;
    const [begin] = sentenceBounds(all).at(-1) ?? [0];
    const start = Math.max(begin, all.length - LONGEST_HELD);
    this.text = all.slice(start);
    this.#marked = Math.max(0, this.#marked - start);
    this.#markedBefore = Math.max(0, this.#markedBefore - start);
  }

  /** What the mark stands for that comes now; of marks side by side it is the same. */
  mark(): string {
    if (this.text.slice(this.#marked).trim() !== '') this.#markedBefore = this.#marked;
    this.#marked = this.text.length;
    return this.text.slice(this.#markedBefore).trim();
  }
}

/** How much of what is held can be passed on: what stands before a mark, or the mark with all it has to wait for. */
function readyIn(held: string, sentence: Sentence): number {
  const [mark] = held.matchAll(MARK);
  if (!mark) return held.length - (BEGUN.exec(held)?.[0].length ?? 0);
  if (mark.index > 0) return mark.index;
  const end = mark[0].length;
  const rest = held.slice(end);
  if (ENDED.test(sentence.text)) return ONLY_BEGUN.test(rest) && rest !== '' ? 0 : end;
  const stop = END.exec(rest);
  if (stop) return end + stop.index + stop[0].length;
  return held.length > LONGEST_HELD ? held.length : 0;
}

function* judged(part: string, sentence: Sentence, check: Check): Generator<CheckedPiece> {
  const whole = (sentence.text + part.replace(MARK, '')).trim();
  let at = 0;
  for (const { 0: mark, index } of part.matchAll(MARK)) {
    yield* plain(part.slice(at, index), sentence);
    at = index + mark.length;
    const statement = sentence.mark();
    const cited = citedIn(mark);
    const kept: number[] = [];
    for (const citation of cited) {
      const reason = check(citation, statement) && check(citation, whole);
      if (reason) yield { type: 'dropped', citation, statement: whole, reason };
      else kept.push(citation);
    }
    const blank = mark.startsWith('[') ? '' : mark.charAt(0);
    if (kept.length === cited.length) yield { type: 'text', delta: mark };
    else if (kept.length > 0) yield { type: 'text', delta: `${blank}[${kept.join(', ')}]` };
  }
  yield* plain(part.slice(at), sentence);
}

function* plain(text: string, sentence: Sentence): Generator<CheckedPiece> {
  if (text === '') return;
  sentence.add(text);
  yield { type: 'text', delta: text };
}
