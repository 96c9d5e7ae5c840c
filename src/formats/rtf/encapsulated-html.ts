import { decodeCodePage, isLeadByte } from '#src/text-formats/code-pages.ts';
import { getCharsetCodePage, SKIPPED_DESTINATIONS, SYMBOLS } from './state.ts';
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
  readonly #fontPages = new Map<number, number>();
  /** Number of open groups beyond the limit. They share the state of the group at the limit. */
  #deeper = 0;
  #state: State = { place: 'content', isRepeated: false, font: 0, unicodeSkip: 1 };
  #page = 1252;
  #pending: number[] = [];
  #toSkip = 0;
  #isStarred = false;

  add(token: RtfToken): void {
    if (token.type === 'text') for (const byte of token.bytes) this.#byte(byte);
    else if (token.type === 'byte') this.#byte(token.value);
    if (token.type === 'text' || token.type === 'byte') return;
    this.#flush();
    if (token.type === 'open') {
      if (this.#stack.length < MAX_GROUPS) this.#stack.push({ ...this.#state });
      else this.#deeper++;
      this.#isStarred = false;
    } else if (token.type === 'close' && this.#deeper > 0) this.#deeper--;
    else if (token.type === 'close') this.#state = this.#stack.pop() ?? this.#state;
    else if (token.type === 'word') this.#word(token.word, token.value);
    if (token.type !== 'word') this.#toSkip = 0;
  }

  finish(): string {
    this.#flush();
    return this.#html.join('');
  }

  #byte(byte: number): void {
    this.#isStarred = false;
    if (this.#toSkip > 0) this.#toSkip--;
    else if (this.#state.place === 'content' && !this.#state.isRepeated) this.#pending.push(byte);
    if (this.#pending.length > 4096 && !isLeadByte(byte, this.#codePage())) this.#flush();
  }

  #codePage = () => this.#fontPages.get(this.#state.font) ?? this.#page;

  #flush(): void {
    if (this.#pending.length > 0)
      this.#html.push(decodeCodePage(Uint8Array.from(this.#pending), this.#codePage()));
    this.#pending = [];
  }

  #write(text: string): void {
    if (this.#state.place === 'content' && !this.#state.isRepeated) this.#html.push(text);
  }

  #word(word: string, value: number | undefined): void {
    const isStarred = this.#isStarred;
    this.#isStarred = word === '*';
    const state = this.#state;
    if (word === '*' || state.place === 'skip') return;
    if (word === 'htmlrtf') state.isRepeated = value !== 0;
    else if (word === 'fonttbl') state.place = 'fonts';
    else if (SKIPPED_DESTINATIONS.has(word) || word === 'stylesheet' || word === 'info' || word === 'pict')
      state.place = 'skip';
    else if (isStarred && word !== 'htmltag') state.place = 'skip';
    else if (word === 'ansicpg') this.#page = value ?? 1252;
    else if (word === 'f') state.font = value ?? 0;
    else if (word === 'fcharset') this.#setCharset(value ?? 0);
    else if (word === 'uc') state.unicodeSkip = Math.min(16, Math.max(0, value ?? 1));
    else if (word === 'u' && value !== undefined) {
      this.#write(String.fromCharCode(value < 0 ? value + 0x10000 : value));
      this.#toSkip = state.unicodeSkip;
    } else if (word === 'par' || word === 'line') this.#write('\n');
    else if (SYMBOLS[word] !== undefined) this.#write(SYMBOLS[word]);
  }

  #setCharset(charset: number): void {
    const page = getCharsetCodePage(charset);
    if (page !== undefined && this.#state.place === 'fonts') this.#fontPages.set(this.#state.font, page);
  }
}
