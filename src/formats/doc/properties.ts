import { ParseError } from '#src/documents/errors.ts';
import { createDataView, readPositions, type WordFile } from './file-information.ts';

const CHARACTER_PAGES = 12;
const PARAGRAPH_PAGES = 13;
const PAGE = 512;
/** Maximum number of text ranges with formatting. Ordinary documents have fewer. */
const MAX_FORMATTED_RANGES = 200_000;

export interface ParagraphFormat {
  style: number;
  inTable?: boolean;
  endsRow?: boolean;
  isInner?: boolean;
  /** Outline level from 0 (highest heading) to 8. Level 9 means body text. */
  outline?: number;
  onNewPage?: boolean;
  /** Number of the paragraph's list, counted from 1. 0 means that the paragraph is not a list item. */
  list?: number;
  level?: number;
}

export interface CharacterFormat {
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  deleted?: boolean;
  hidden?: boolean;
  /** Position of the text below or above the line. */
  script?: 'sub' | 'super' | undefined;
}

interface FormattedRange<Look> {
  from: number;
  to: number;
  format: Look;
}

/** Finds the formatting of text by its byte offset in the stream "WordDocument". */
export class FormatIndex<Look> {
  readonly #ranges: FormattedRange<Look>[];
  readonly #plain: Look;
  #last: FormattedRange<Look> | undefined;

  constructor(ranges: FormattedRange<Look>[], plain: Look) {
    this.#ranges = ranges.sort((a, b) => a.from - b.from);
    this.#plain = plain;
  }

  at(offset: number): Look {
    if (this.#last && this.#last.from <= offset && offset < this.#last.to) return this.#last.format;
    let [low, high] = [0, this.#ranges.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#ranges[middle]!.from <= offset) low = middle;
      else high = middle - 1;
    }
    this.#last = this.#ranges[low];
    return this.#last && this.#last.from <= offset && offset < this.#last.to
      ? this.#last.format
      : this.#plain;
  }
}

export const readParagraphFormats = (file: WordFile) =>
  new FormatIndex(readFormattedRanges(file, PARAGRAPH_PAGES, 13, readParagraphFormat), { style: 0 });

export const readCharacterFormats = (file: WordFile) =>
  new FormatIndex(readFormattedRanges(file, CHARACTER_PAGES, 1, readCharacterFormat), {});

/**
 * Reads the text ranges with formatting. They are stored in pages of 512 bytes, which contain the ranges and
 * the locations of their formatting.
 */
function readFormattedRanges<Look>(
  file: WordFile,
  number: number,
  entrySize: number,
  readFormat: (page: Uint8Array, at: number) => Look,
): FormattedRange<Look>[] {
  const table = file.table(number);
  const pages = readPositions(table, 4);
  const tableView = createDataView(table);
  const seen = new Set<number>();
  const ranges: FormattedRange<Look>[] = [];
  for (let index = 0; index + 1 < pages.length; index++) {
    const start = (tableView.getUint32(pages.length * 4 + index * 4, true) & 0x3fffff) * PAGE;
    if (seen.has(start) || start + PAGE > file.main.length) continue;
    seen.add(start);
    const page = file.main.subarray(start, start + PAGE);
    const view = createDataView(page);
    const count = page[PAGE - 1]!;
    if ((count + 1) * 4 + count * entrySize > PAGE - 1) continue;
    if (ranges.length + count > MAX_FORMATTED_RANGES) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `The file has more than ${MAX_FORMATTED_RANGES} formatting changes.`,
      );
    }
    for (let one = 0; one < count; one++) {
      const at = page[(count + 1) * 4 + one * entrySize]! * 2;
      const [from, to] = [view.getUint32(one * 4, true), view.getUint32(one * 4 + 4, true)];
      ranges.push({ from, to, format: readFormat(page, at) });
    }
  }
  return ranges;
}

function readParagraphFormat(page: Uint8Array, at: number): ParagraphFormat {
  if (at === 0) return { style: 0 };
  const words = page[at]!;
  const start = words === 0 ? at + 2 : at + 1;
  const end = words === 0 ? start + (page[at + 1] ?? 0) * 2 : start + words * 2 - 1;
  const format: ParagraphFormat = { style: (page[start] ?? 0) | ((page[start + 1] ?? 0) << 8) };
  for (const [code, value] of iterateChanges(page.subarray(start + 2, end))) {
    if (code === 0x2416) format.inTable = value !== 0;
    else if (code === 0x2417) format.endsRow = value !== 0;
    else if (code === 0x244c || code === 0x244b) format.isInner = value !== 0;
    else if (code === 0x2640) format.outline = value;
    else if (code === 0x2407) format.onNewPage = value !== 0;
    else if (code === 0x460b) format.list = value;
    else if (code === 0x260a) format.level = value;
  }
  return format;
}

function readCharacterFormat(page: Uint8Array, at: number): CharacterFormat {
  if (at === 0) return {};
  const format: CharacterFormat = {};
  for (const [code, value] of iterateChanges(page.subarray(at + 1, at + 1 + page[at]!))) {
    // A value of 128 means "as in the style", and 129 means "opposite of the style".
    const isOn = value === 1 || value === 129;
    if (code === 0x0835) format.bold = isOn;
    else if (code === 0x0836) format.italic = isOn;
    else if (code === 0x0837) format.strike = isOn;
    else if (code === 0x0800) format.deleted = isOn;
    else if (code === 0x083c) format.hidden = isOn;
    else if (code === 0x2a48) format.script = value === 1 ? 'super' : value === 2 ? 'sub' : undefined;
  }
  return format;
}

const VALUE_SIZES = [1, 1, 2, 4, 2, 2, 0, 3];
const TABLE_DEFINITION = 0xd608;

/**
 * Yields the formatting that differs from the style. Each difference is an operation code with the first
 * bytes of its value.
 */
function* iterateChanges(bytes: Uint8Array): Generator<[code: number, value: number]> {
  const view = createDataView(bytes);
  for (let at = 0; at + 2 < bytes.length; ) {
    const code = view.getUint16(at, true);
    at += 2;
    let size = VALUE_SIZES[code >> 13]!;
    if (size === 0) {
      const wide = code === TABLE_DEFINITION && at + 2 <= bytes.length;
      size = wide ? view.getUint16(at, true) + 1 : bytes[at]! + 1;
    }
    yield [code, size >= 2 && at + 2 <= bytes.length ? view.getUint16(at, true) : bytes[at]!];
    at += size;
  }
}
