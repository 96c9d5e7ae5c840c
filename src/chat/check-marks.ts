import { sentenceBounds } from '#src/lib/text/sentences.ts';
import { listCitedNumbers } from './citations.ts';

export type CheckedPiece =
  | { type: 'text'; delta: string }
  | { type: 'dropped'; citation: number; statement: string; reason: string };

/**
 * Returns the reason why a passage does not support a statement, or `undefined` if the passage supports it.
 * `citation` is the number of the passage.
 */
export type Check = (citation: number, statement: string) => string | undefined;

const MARK = /\s?\[\d{1,3}(?:\s{0,3}[,;–-]\s{0,3}\d{1,3}){0,20}\]/gu;
/** Text at the end of the buffer that may become a citation mark. */
const MARK_START = /\s?\[[\d\s,;–-]{0,100}$|\s$/u;
const ONLY_MARK_START = /^\s?(?:\[[\d\s,;–-]{0,100})?$/u;
const SENTENCE_ENDED = /[.!?…؟۔।॥。！？｡．\n]["'”’»)\]」』）\s]{0,8}$/u;
/** End of a sentence after a mark. The point of a decimal number does not match. */
const SENTENCE_END = /[.!?…؟۔।॥]["'”’»)]{0,8}(?=\s)|[。！？｡．][”’」』）]{0,8}|\n/u;
/** Maximum number of characters of a sentence that are buffered. */
const MAX_BUFFERED = 1_000;

/**
 * Removes the citation marks that their passages do not support. Text is passed on as it arrives, but from a
 * mark on it is held back until the sentence of the mark is complete. A mark is supported if its passage
 * supports the text since the previous mark, or the whole sentence.
 */
export async function* checkMarks(text: AsyncIterable<string>, check: Check): AsyncGenerator<CheckedPiece> {
  const sentence = new Sentence();
  let buffer = '';
  for await (const delta of text) {
    buffer += delta;
    for (let end = findReadyEnd(buffer, sentence); end > 0; end = findReadyEnd(buffer, sentence)) {
      yield* checkPart(buffer.slice(0, end), sentence, check);
      buffer = buffer.slice(end);
    }
  }
  yield* checkPart(buffer, sentence, check);
}

/** Last sentence that was passed on, without its marks. */
class Sentence {
  text = '';
  /** Length of the sentence at the last mark, and at the mark before it. */
  #marked = 0;
  #markedBefore = 0;

  add(text: string): void {
    const all = this.text + text;
    const [begin] = sentenceBounds(all).at(-1) ?? [0];
    const start = Math.max(begin, all.length - MAX_BUFFERED);
    this.text = all.slice(start);
    this.#marked = Math.max(0, this.#marked - start);
    this.#markedBefore = Math.max(0, this.#markedBefore - start);
  }

  /** Returns the statement that the next mark supports. Adjacent marks support the same statement. */
  mark(): string {
    if (this.text.slice(this.#marked).trim() !== '') this.#markedBefore = this.#marked;
    this.#marked = this.text.length;
    return this.text.slice(this.#markedBefore).trim();
  }
}

/**
 * Returns how much of the buffer can be passed on: the text before a mark, or a mark with the rest of its
 * sentence. Returns 0 if more text must arrive first.
 */
function findReadyEnd(held: string, sentence: Sentence): number {
  const [takeStatement] = held.matchAll(MARK);
  if (!takeStatement) return held.length - (MARK_START.exec(held)?.[0].length ?? 0);
  if (takeStatement.index > 0) return takeStatement.index;
  const end = takeStatement[0].length;
  const rest = held.slice(end);
  if (SENTENCE_ENDED.test(sentence.text)) return ONLY_MARK_START.test(rest) && rest !== '' ? 0 : end;
  const stop = SENTENCE_END.exec(rest);
  if (stop) return end + stop.index + stop[0].length;
  return held.length > MAX_BUFFERED ? held.length : 0;
}

function* checkPart(part: string, sentence: Sentence, check: Check): Generator<CheckedPiece> {
  const whole = (sentence.text + part.replace(MARK, '')).trim();
  let at = 0;
  for (const { 0: mark, index } of part.matchAll(MARK)) {
    yield* passText(part.slice(at, index), sentence);
    at = index + mark.length;
    const statement = sentence.mark();
    const cited = listCitedNumbers(mark);
    const supported: number[] = [];
    for (const citation of cited) {
      const reason = check(citation, statement) && check(citation, whole);
      if (reason) yield { type: 'dropped', citation, statement: whole, reason };
      else supported.push(citation);
    }
    const blank = mark.startsWith('[') ? '' : mark.charAt(0);
    if (supported.length === cited.length) yield { type: 'text', delta: mark };
    else if (supported.length > 0) yield { type: 'text', delta: `${blank}[${supported.join(', ')}]` };
  }
  yield* passText(part.slice(at), sentence);
}

function* passText(text: string, sentence: Sentence): Generator<CheckedPiece> {
  if (text === '') return;
  sentence.add(text);
  yield { type: 'text', delta: text };
}
