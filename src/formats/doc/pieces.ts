import { ParseError } from '#src/documents/errors.ts';
import { createDataView, readPositions, type WordFile } from './file-information.ts';

const CLX = 33;
const CHANGES = 1;
const PIECES = 2;
const PIECE_SIZE = 8;
const ONE_BYTE = 0x40000000;

/**
 * Decoders by bytes per character. `ignoreBOM` keeps a byte order mark as a character, because later text
 * positions would otherwise be wrong.
 */
const decoders = {
  1: new TextDecoder('windows-1252'),
  2: new TextDecoder('utf-16le', { fatal: false, ignoreBOM: true }),
};

interface Piece {
  from: number;
  to: number;
  /**
   * Byte offset of the piece's first character in the stream "WordDocument". `width` is the number of bytes
   * per character.
   */
  offset: number;
  width: 1 | 2;
}

/**
 * Text of a Word document with all its parts in order. Edits divide the stored text into pieces, which are
 * joined here.
 */
export class WordText {
  readonly text: string;
  readonly #pieces: Piece[];
  #last: Piece | undefined;

  constructor(text: string, pieces: Piece[]) {
    this.text = text;
    this.#pieces = pieces;
  }

  /**
   * Returns the byte offset of a character in the stream "WordDocument". Formatting is stored by this offset.
   */
  getOffset(position: number): number {
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

/**
 * Reads the text of a Word file. Throws ParseError if a piece lies outside the file or the pieces have more
 * characters than the file has bytes.
 */
export function readText(file: WordFile): WordText {
  const table = pieceTable(file.table(CLX));
  const positions = readPositions(table, PIECE_SIZE);
  const view = createDataView(table);
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
    if (end > file.main.length) throw broken('a part of its text is outside the file');
    characters = to;
    // Overlapping pieces would let a small file repeat its text many times, so the total length is limited.
    if (characters > file.main.length) throw broken('it claims to contain more text than the file has bytes');
    pieces.push({ from, to, offset, width });
    parts.push(decoders[width].decode(file.main.subarray(offset, end)));
  }
  if (pieces.length === 0) throw broken('its text is missing');
  return new WordText(parts.join(''), pieces);
}

/**
 * Returns the table that lists the pieces of the text. Formatting changes from quick saves are stored before
 * this table and are skipped.
 */
function pieceTable(clx: Uint8Array): Uint8Array {
  const view = createDataView(clx);
  let at = 0;
  while (at + 3 <= clx.length && clx[at] === CHANGES) at += 3 + view.getUint16(at + 1, true);
  if (at + 5 > clx.length || clx[at] !== PIECES) throw broken('its text is missing');
  const length = view.getUint32(at + 1, true);
  if (at + 5 + length > clx.length) throw broken('its text is cut short');
  return clx.subarray(at + 5, at + 5 + length);
}
