import { sentenceBounds } from '#src/lib/text/sentences.ts';
import { listCitedNumbers } from './citations.ts';

export type CheckedPiece =
  | { type: 'text'; delta: string }
  | { type: 'dropped'; citation: number; statement: string; reason: string };

/**
 * Returns the reason why the passage with number `citation` does not support a statement. Returns `undefined`
 * if the passage supports it.
 */
export type Check = (citation: number, statement: string) => string | undefined;

const MARK = /\s?\[\d{1,3}(?:\s{0,3}[,;–-]\s{0,3}\d{1,3}){0,20}\]/gu;
/** Matches text at the end of the buffer that may be the beginning of a citation mark such as [1]. */
const MARK_START = /\s?\[[\d\s,;–-]{0,100}$|\s$/u;
const ONLY_MARK_START = /^\s?(?:\[[\d\s,;–-]{0,100})?$/u;
const SENTENCE_ENDED = /[.!?…؟۔।॥。！？｡．\n]["'”’»)\]」』）\s]{0,8}$/u;
/** Matches the end of a sentence after a citation mark. The point of a decimal number does not match. */
const SENTENCE_END = /[.!?…؟۔।॥]["'”’»)]{0,8}(?=\s)|[。！？｡．][”’」』）]{0,8}|\n/u;
/** Maximum number of characters of a sentence that are buffered while its citation is checked. */
const MAX_BUFFERED = 1_000;

/**
 * Removes citation marks such as [1] that their passages do not support. Text is passed on as it arrives, but
 * text from a mark to the end of its sentence is held back. The passage must support either the text since
 * the previous mark or the whole sentence.
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

/** Text of the current sentence that was already passed on, without citation marks. */
class Sentence {
  text = '';
  /**
   * Length of the sentence in characters at the last citation mark. `#markedBefore` is the length at the mark
   * before.
   */
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

  /**
   * Returns the statement that the next citation mark must support. Adjacent marks such as [1][2] support the
   * same statement.
   */
  mark(): string {
    if (this.text.slice(this.#marked).trim() !== '') this.#markedBefore = this.#marked;
    this.#marked = this.text.length;
    return this.text.slice(this.#markedBefore).trim();
  }
}

/**
 * Returns how many characters of the buffer can be passed on. These are the text before a citation mark, or a
 * mark with the rest of its sentence. Returns 0 if more text must arrive first.
 */
function findReadyEnd(buffer: string, sentence: Sentence): number {
  const [takeStatement] = buffer.matchAll(MARK);
  if (!takeStatement) return buffer.length - (MARK_START.exec(buffer)?.[0].length ?? 0);
  if (takeStatement.index > 0) return takeStatement.index;
  const end = takeStatement[0].length;
  const rest = buffer.slice(end);
  if (SENTENCE_ENDED.test(sentence.text)) return ONLY_MARK_START.test(rest) && rest !== '' ? 0 : end;
  const stop = SENTENCE_END.exec(rest);
  if (stop) return end + stop.index + stop[0].length;
  return buffer.length > MAX_BUFFERED ? buffer.length : 0;
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
