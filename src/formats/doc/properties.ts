import { ParseError } from '#src/documents/errors.ts';
import { positionsOf, viewOf, type WordFile } from './file-information.ts';

const CHARACTER_PAGES = 12;
const PARAGRAPH_PAGES = 13;
const PAGE = 512;
/** Maximum number of formatted ranges. No document of a readable size has more. */
const MAX_STRETCHES = 200_000;

export interface ParagraphLook {
  style: number;
  inTable?: boolean;
  endsRow?: boolean;
  /** Whether the paragraph belongs to a nested table. */
  isInner?: boolean;
  /** Outline level 0 to 8; 9 is body text. */
  outline?: number;
  onNewPage?: boolean;
  /** List number counted from 1; 0 is no list. */
  list?: number;
  level?: number;
}

export interface CharacterLook {
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  deleted?: boolean;
  hidden?: boolean;
}

interface Stretch<Look> {
  from: number;
  to: number;
  look: Look;
}

/** Formatting by stream offset. */
export class Looks<Look> {
  readonly #stretches: Stretch<Look>[];
  readonly #plain: Look;
  #last: Stretch<Look> | undefined;

  constructor(stretches: Stretch<Look>[], plain: Look) {
    this.#stretches = stretches.sort((a, b) => a.from - b.from);
    this.#plain = plain;
  }

  at(offset: number): Look {
    if (this.#last && this.#last.from <= offset && offset < this.#last.to) return this.#last.look;
    let [low, high] = [0, this.#stretches.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#stretches[middle]!.from <= offset) low = middle;
      else high = middle - 1;
    }
    this.#last = this.#stretches[low];
    return this.#last && this.#last.from <= offset && offset < this.#last.to ? this.#last.look : this.#plain;
  }
}

export const paragraphLooks = (file: WordFile) =>
  new Looks(stretchesOf(file, PARAGRAPH_PAGES, 13, paragraphLook), { style: 0 });

export const characterLooks = (file: WordFile) =>
  new Looks(stretchesOf(file, CHARACTER_PAGES, 1, characterLook), {});

/** Reads pages of 512 bytes, which contain text ranges and the location of their formatting. */
function stretchesOf<Look>(
  file: WordFile,
  number: number,
  entrySize: number,
  lookOf: (page: Uint8Array, at: number) => Look,
): Stretch<Look>[] {
  const table = file.table(number);
  const pages = positionsOf(table, 4);
  const tableView = viewOf(table);
  const seen = new Set<number>();
  const stretches: Stretch<Look>[] = [];
  for (let index = 0; index + 1 < pages.length; index++) {
    const start = (tableView.getUint32(pages.length * 4 + index * 4, true) & 0x3fffff) * PAGE;
    if (seen.has(start) || start + PAGE > file.main.length) continue;
    seen.add(start);
    const page = file.main.subarray(start, start + PAGE);
    const view = viewOf(page);
    const count = page[PAGE - 1]!;
    if ((count + 1) * 4 + count * entrySize > PAGE - 1) continue;
    if (stretches.length + count > MAX_STRETCHES) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `The file has more than ${MAX_STRETCHES} changes of its look.`,
      );
    }
    for (let one = 0; one < count; one++) {
      const at = page[(count + 1) * 4 + one * entrySize]! * 2;
      const [from, to] = [view.getUint32(one * 4, true), view.getUint32(one * 4 + 4, true)];
      stretches.push({ from, to, look: lookOf(page, at) });
    }
  }
  return stretches;
}

function paragraphLook(page: Uint8Array, at: number): ParagraphLook {
  if (at === 0) return { style: 0 };
  const words = page[at]!;
  const start = words === 0 ? at + 2 : at + 1;
  const end = words === 0 ? start + (page[at + 1] ?? 0) * 2 : start + words * 2 - 1;
  const look: ParagraphLook = { style: (page[start] ?? 0) | ((page[start + 1] ?? 0) << 8) };
  for (const [code, value] of changes(page.subarray(start + 2, end))) {
    if (code === 0x2416) look.inTable = value !== 0;
    else if (code === 0x2417) look.endsRow = value !== 0;
    else if (code === 0x244c || code === 0x244b) look.isInner = value !== 0;
    else if (code === 0x2640) look.outline = value;
    else if (code === 0x2407) look.onNewPage = value !== 0;
    else if (code === 0x460b) look.list = value;
    else if (code === 0x260a) look.level = value;
  }
  return look;
}

function characterLook(page: Uint8Array, at: number): CharacterLook {
  if (at === 0) return {};
  const look: CharacterLook = {};
  for (const [code, value] of changes(page.subarray(at + 1, at + 1 + page[at]!))) {
    // 128 means the style's value, and 129 its opposite.
    const isOn = value === 1 || value === 129;
    if (code === 0x0835) look.bold = isOn;
    else if (code === 0x0836) look.italic = isOn;
    else if (code === 0x0837) look.strike = isOn;
    else if (code === 0x0800) look.deleted = isOn;
    else if (code === 0x083c) look.hidden = isOn;
  }
  return look;
}

const VALUE_SIZES = [1, 1, 2, 4, 2, 2, 0, 3];
const TABLE_DEFINITION = 0xd608;

/** Yields the differences from the style: codes with the first bytes of their value. */
function* changes(bytes: Uint8Array): Generator<[code: number, value: number]> {
  const view = viewOf(bytes);
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
