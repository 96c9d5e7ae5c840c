import { findFormulaEnd, readFormulaText } from './formulas.ts';
import { createNextFinder } from './next-finder.ts';

export interface PlainText {
  /** Text without markup. Lines end with a line break, and table cells are separated by tabs. */
  text: string;
  /** Offset in the Markdown source of each UTF-16 code unit of `text`. */
  at: number[];
  /**
   * Offsets in `text` of the numbers before list items and headings. The model may have added these numbers
   * itself.
   */
  markers: Set<number>;
  tables: { start: number; end: number }[];
}

const RULE = /^[\s|:=*_-]+$/;
/** Matches a Markdown link definition, which gives a name to an address. */
const DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:\s/;
const FENCE = /^\s{0,3}(?:```|~~~)/;
const QUOTE_OR_HEADING = /^[\s>]*(?:#{1,6}(?=\s))?[\s>]*/;
const LIST_MARK = /^[-*+•]\s+(?:\[[ xX]\]\s)?/;
const NUMBER_MARK = /^\d{1,3}[.)](?=\s)/;
const HEADING_NUMBER = /^\d{1,3}(?:\.\d{1,3}){0,4}[.)]?(?=\s)/;
const TAG = /^<\/?([a-zA-Z][a-zA-Z0-9]{0,14})(?=[\s/>])/;
const ENTITY = /^&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,6}));/;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const CELL_TAGS = new Set(['td', 'th']);
/** HTML tags that may occur inside a word. All other tags separate words. */
const INLINE_TAGS = new Set('a b i u s em strong span font small mark code del ins'.split(' '));
const SPACED_TAGS = new Set(['sup', 'sub']);
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * Removes Markdown and HTML markup from a text. Also removes alternative texts of pictures, link addresses
 * and comments.
 */
export function stripMarkup(source: string): PlainText {
  const writer = new Writer(source);
  let isCode = false;
  let start = 0;
  for (const line of source.split('\n')) {
    const end = start + line.length;
    if (FENCE.test(line)) isCode = !isCode;
    else if (isCode) writer.copy(start, end);
    else if (!RULE.test(line) && !DEFINITION.test(line)) writer.readLine(start, end, line);
    // The separator line below a table's header row does not end the table.
    else if (!line.includes('|')) writer.endTable();
    writer.put('\n', end);
    start = end + 1;
  }
  return writer.finish();
}

class Writer {
  private readonly parts: string[] = [];
  private readonly at: number[] = [];
  private readonly markers = new Set<number>();
  private readonly tables: { start: number; end: number }[] = [];
  private readonly source: string;
  private readonly next: (needle: string, from: number) => number;
  /**
   * Offset up to which the source has been read. It may be on a later line if a tag or comment spans lines.
   */
  private read = 0;
  private tableDepth = 0;
  private isInTable = false;

  constructor(source: string) {
    this.source = source;
    this.next = createNextFinder(source);
  }

  finish(): PlainText {
    return { text: this.parts.join(''), at: this.at, markers: this.markers, tables: this.tables };
  }

  put(text: string, at: number) {
    this.parts.push(text);
    for (let index = 0; index < text.length; index++) this.at.push(at);
  }

  copy(start: number, end: number) {
    for (let index = start; index < end; index++) this.put(this.source[index]!, index);
  }

  endTable() {
    this.isInTable = this.tableDepth > 0;
  }

  readLine(start: number, end: number, line: string) {
    const from = this.at.length;
    const wasTable = this.tableDepth > 0;
    if (this.read <= start) this.read = start + this.readLineStart(line);
    while (this.read < end) this.read = Math.max(this.read + 1, this.readPiece(this.read, end));
    const isTable = wasTable || this.tableDepth > 0 || /^\s*(?:\||<table[\s>])/i.test(line);
    const above = this.tables.at(-1);
    if (isTable && this.isInTable && above) above.end = this.at.length;
    else if (isTable) this.tables.push({ start: from, end: this.at.length });
    this.isInTable = isTable && !(wasTable && this.tableDepth === 0);
  }

  /**
   * Returns the length of the quote, heading and list marks at the start of a line. Records the offset of a
   * number after these marks.
   */
  private readLineStart(line: string): number {
    const head = QUOTE_OR_HEADING.exec(line)?.[0].length ?? 0;
    const mark = LIST_MARK.exec(line.slice(head, head + 20))?.[0].length ?? 0;
    const length = head + mark;
    const pattern = line.slice(0, head).includes('#') ? HEADING_NUMBER : NUMBER_MARK;
    const number = pattern.exec(line.slice(length, length + 24))?.[0] ?? '';
    for (const { index } of number.matchAll(/\d+/g)) this.markers.add(this.at.length + index);
    return length;
  }

  /** Reads the markup or text at an offset. Returns the offset at which reading continues. */
  private readPiece(at: number, lineEnd: number): number {
    const sign = this.source[at]!;
    switch (sign) {
      case '\\':
        return this.backslash(at, lineEnd);
      case '$':
        return this.formula(at, lineEnd) ?? this.copyCharacter(at);
      case '<':
        return this.tag(at) ?? this.copyCharacter(at);
      case '&':
        return this.entity(at) ?? this.copyCharacter(at);
      case '!':
        return this.picture(at, lineEnd) ?? this.copyCharacter(at);
      case '[':
      case ']':
        return this.bracket(at, lineEnd);
      case '|':
        this.put('\t', at);
        return at + 1;
      case '*':
      case '`':
        return at + 1;
      case '_':
        if (this.isInside(at)) this.put('_', at);
        return at + 1;
      default:
        return this.copyCharacter(at);
    }
  }

  private copyCharacter(at: number): number {
    this.put(this.source[at]!, at);
    return at + 1;
  }

  private isInside(at: number): boolean {
    return LETTER_OR_DIGIT.test(this.source[at - 1] ?? '') && LETTER_OR_DIGIT.test(this.source[at + 1] ?? '');
  }

  private backslash(at: number, lineEnd: number): number {
    const after = this.source[at + 1] ?? '';
    if (after === '(' || after === '[') {
      const end = this.formula(at, lineEnd);
      if (end !== undefined) return end;
    }
    return PUNCTUATION.test(after) && at + 1 < lineEnd ? this.copyCharacter(at + 1) : this.copyCharacter(at);
  }

  private formula(at: number, lineEnd: number): number | undefined {
    const end = findFormulaEnd(this.source, at, lineEnd, this.next);
    if (end === undefined) return undefined;
    const text = readFormulaText(this.source.slice(at, end));
    for (let index = 0; index < text.length; index++) this.put(text[index]!, at + index);
    return end;
  }

  private tag(at: number): number | undefined {
    if (this.source.startsWith('<!--', at)) {
      const end = this.next('-->', at);
      return end < 0 ? undefined : end + 3;
    }
    const name = TAG.exec(this.source.slice(at, at + 18))?.[1]?.toLowerCase();
    const end = name === undefined ? -1 : this.next('>', at);
    if (name === undefined || end < 0) return undefined;
    if (name === 'table') this.tableDepth = this.source[at + 1] === '/' ? 0 : 1;
    if (CELL_TAGS.has(name)) this.put('\t', at);
    else if (SPACED_TAGS.has(name)) this.put(' ', at);
    else if (!INLINE_TAGS.has(name)) this.put('\n', at);
    return end + 1;
  }

  private entity(at: number): number | undefined {
    const match = ENTITY.exec(this.source.slice(at, at + 12));
    if (!match) return undefined;
    const [whole, decimal, hex, name] = match;
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    const text = code === undefined ? ENTITIES[name!] : code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
    if (text === undefined) return undefined;
    this.put(text, at);
    return at + whole.length;
  }

  private picture(at: number, lineEnd: number): number | undefined {
    if (this.source[at + 1] !== '[') return undefined;
    const close = this.next('](', at);
    if (close < 0 || close > lineEnd) return undefined;
    const end = this.next(')', close);
    if (end < 0) return undefined;
    this.put(' ', at);
    return end + 1;
  }

  private bracket(at: number, lineEnd: number): number {
    this.put(' ', at);
    if (!this.source.startsWith('](', at)) return at + 1;
    const end = this.next(')', at);
    return end < 0 || end >= lineEnd ? at + 1 : end + 1;
  }
}
