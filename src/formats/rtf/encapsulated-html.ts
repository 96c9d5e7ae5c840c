import { CodePageText, limitFallback } from './code-page-text.ts';
import { SKIPPED_DESTINATIONS, SYMBOLS } from './state.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';

/** Number of bytes at the start of a file in which the mark \fromhtml1 has to be. */
const HEAD = 1024;
const MARK = /\\fromhtml1?(?![\da-z])/;
const MAX_GROUPS = 1_000;

interface State {
  /** 'fonts' is the font table, whose text is no content. */
  place: 'content' | 'fonts' | 'skip';
  /** True between \htmlrtf and \htmlrtf0, which enclose RTF that repeats the HTML. */
  isRepeated: boolean;
  font: number;
  unicodeSkip: number;
}

/** Tells whether an RTF file contains HTML, as Outlook writes it ([MS-OXRTFEX]). */
export const containsHtml = (bytes: Uint8Array): boolean =>
  MARK.test(new TextDecoder('latin1').decode(bytes.subarray(0, HEAD)));

/** Returns the HTML that Outlook has packed into an RTF file. */
export function unpackHtml(bytes: Uint8Array): string {
  const unpacker = new HtmlUnpacker();
  for (const token of rtfTokens(bytes)) unpacker.add(token);
  return unpacker.finish();
}

class HtmlUnpacker {
  readonly #html: string[] = [];
  readonly #stack: State[] = [];
  readonly #bytes = new CodePageText();
  /** Number of open groups beyond the limit. They share the state of the group at the limit. */
  #deeper = 0;
  #state: State = { place: 'content', isRepeated: false, font: 0, unicodeSkip: 1 };
  #isStarred = false;

  add(token: RtfToken): void {
    if (token.type === 'text') this.#add(token.bytes);
    else if (token.type === 'byte') this.#add([token.value]);
    if (token.type === 'text' || token.type === 'byte') return;
    this.#flush();
    if (token.type === 'open') {
      if (this.#stack.length < MAX_GROUPS) this.#stack.push({ ...this.#state });
      else this.#deeper++;
      this.#isStarred = false;
    } else if (token.type === 'close' && this.#deeper > 0) this.#deeper--;
    else if (token.type === 'close') this.#state = this.#stack.pop() ?? this.#state;
    else if (token.type === 'word') this.#word(token.word, token.value);
    if (token.type !== 'word') this.#bytes.endFallback();
  }

  finish(): string {
    this.#flush();
    return this.#html.join('');
  }

  #add(bytes: ArrayLike<number>): void {
    this.#isStarred = false;
    this.#bytes.add(bytes, this.#isRead());
    if (this.#bytes.isFull(this.#state.font)) this.#flush();
  }

  #flush(): void {
    const bytes = this.#bytes.takeBytes();
    if (bytes) this.#html.push(this.#bytes.decode(bytes, this.#state.font));
  }

  #isRead = () => this.#state.place === 'content' && !this.#state.isRepeated;

  #write(text: string): void {
    if (this.#isRead()) this.#html.push(text);
  }

  #word(word: string, value: number | undefined): void {
    const isStarred = this.#isStarred;
    this.#isStarred = word === '*';
    const state = this.#state;
    if (word === '*' || this.#bytes.skipsSymbol(word) || state.place === 'skip') return;
    if (word === 'htmlrtf') state.isRepeated = value !== 0;
    else if (word === 'fonttbl') state.place = 'fonts';
    else if (SKIPPED_DESTINATIONS.has(word) || word === 'stylesheet' || word === 'info' || word === 'pict')
      state.place = 'skip';
    else if (isStarred && word !== 'htmltag') state.place = 'skip';
    else if (this.#bytes.setPage(word, value)) return;
    else if (word === 'f') state.font = value ?? 0;
    else if (word === 'fcharset') this.#setCharset(value ?? 0);
    else if (word === 'uc') state.unicodeSkip = limitFallback(value);
    else if (word === 'u' && value !== undefined)
      this.#write(this.#bytes.readUnicode(value, state.unicodeSkip));
    else if (word === 'par' || word === 'line') this.#write('\n');
    else this.#write(SYMBOLS.get(word) ?? '');
  }

  #setCharset(charset: number): void {
    if (this.#state.place === 'fonts') this.#bytes.setCharset(this.#state.font, charset);
  }
}
