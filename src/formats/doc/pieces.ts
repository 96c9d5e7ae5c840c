import { ParseError } from '#src/documents/errors.ts';
import { positionsOf, viewOf, type WordFile } from './file-information.ts';

const CLX = 33;
const CHANGES = 1;
const PIECES = 2;
const PIECE_SIZE = 8;
const ONE_BYTE = 0x40000000;

/** A byte order mark counts as a character here. If it were dropped, all later positions would be wrong. */
const decoders = {
  1: new TextDecoder('windows-1252'),
  2: new TextDecoder('utf-16le', { fatal: false, ignoreBOM: true }),
};

interface Piece {
  from: number;
  to: number;
  /** Offset of the first character in the stream, and bytes per character. */
  offset: number;
  width: 1 | 2;
}

/** Text of all document parts in order, joined from the pieces that editing left. */
export class WordText {
  readonly text: string;
  readonly #pieces: Piece[];
  #last: Piece | undefined;

  constructor(text: string, pieces: Piece[]) {
    this.text = text;
    this.#pieces = pieces;
  }

  /** Returns the stream offset of a character, which locates its formatting. */
  offsetOf(position: number): number {
    if (!this.#last || position < this.#last.from || position >= this.#last.to)
      this.#last = this.#pieceAt(position);
    const { offset = 0, from = 0, width = 1 } = this.#last ?? {};
    return offset + (position - from) * width;
  }

  #pieceAt(position: number): Piece | undefined {
    let [low, high] = [0, this.#pieces.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#pieces[middle]!.from <= position) low = middle;
      else high = middle - 1;
    }
    return this.#pieces[low];
  }
}

const broken = (detail: string) => new ParseError('FILE_IS_BROKEN', `The file is damaged: ${detail}.`);

/** Throws ParseError for pieces that lie outside of the file, or that are more text than it can hold. */
export function readText(file: WordFile): WordText {
  const table = pieceTable(file.table(CLX));
  const positions = positionsOf(table, PIECE_SIZE);
  const view = viewOf(table);
  const pieces: Piece[] = [];
  const parts: string[] = [];
  let characters = 0;
  for (let index = 0; index + 1 < positions.length; index++) {
    const [from, to] = [positions[index]!, positions[index + 1]!];
    if (from !== characters || to < from) throw broken('its text is out of order');
    const place = view.getUint32(positions.length * 4 + index * PIECE_SIZE + 2, true);
    const width = place & ONE_BYTE ? 1 : 2;
    const offset = width === 1 ? (place & (ONE_BYTE - 1)) >>> 1 : place & (ONE_BYTE - 1);
    const end = offset + (to - from) * width;
    if (end > file.main.length) throw broken('a piece of its text lies outside of it');
    characters = to;
    // Pieces must not share bytes. Otherwise a small file could claim many copies of its text.
    if (characters > file.main.length) throw broken('it claims to hold more text than bytes');
    pieces.push({ from, to, offset, width });
    parts.push(decoders[width].decode(file.main.subarray(offset, end)));
  }
  if (pieces.length === 0) throw broken('its text is missing');
  return new WordText(parts.join(''), pieces);
}

/** Returns the piece table, which follows the changes of quick saves. Pieces may refer to those changes. */
function pieceTable(clx: Uint8Array): Uint8Array {
  const view = viewOf(clx);
  let at = 0;
  while (at + 3 <= clx.length && clx[at] === CHANGES) at += 3 + view.getUint16(at + 1, true);
  if (at + 5 > clx.length || clx[at] !== PIECES) throw broken('its text is missing');
  const length = view.getUint32(at + 1, true);
  if (at + 5 + length > clx.length) throw broken('its text is cut short');
  return clx.subarray(at + 5, at + 5 + length);
}
