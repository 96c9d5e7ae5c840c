import { createDataView, readPositions, type WordFile } from './file-information.ts';

/** Numbers of the tables that contain the references to comments, their texts and the names of authors. */
const REFERENCES = 4;
const TEXTS = 5;
const AUTHORS = 36;

/** Length in bytes of a reference, and the offset of the number of its author. */
const REFERENCE_SIZE = 30;
const AUTHOR_OFFSET = 20;
const MAX_NAME = 255;

export interface WordComment {
  author: string;
  /** Position in the document text of the passage that the comment belongs to. */
  at: number;
  /** Offsets in the document text at which the comment's own text starts and ends. */
  from: number;
  to: number;
}

/** Reads where the comments of a document are, in the order of the passages that they belong to. */
export function readComments(file: WordFile, length: number): WordComment[] {
  const { body, footnotes, headers, macros } = file.lengths;
  const first = body + footnotes + headers + macros;
  const table = file.table(REFERENCES);
  const places = readPositions(table, REFERENCE_SIZE);
  const starts = readPositions(file.table(TEXTS), 0);
  const authors = readAuthors(file.table(AUTHORS));
  const view = createDataView(table);
  const comments: WordComment[] = [];
  // Skips comments that overlap an earlier one. A malicious file could otherwise repeat one text many times.
  let reached = first;
  for (let index = 0; index + 1 < places.length && index + 1 < starts.length; index++) {
    const [from, to] = [first + starts[index]!, first + starts[index + 1]!];
    if (from < reached || from >= to || to > length) continue;
    reached = to;
    const entry = places.length * 4 + index * REFERENCE_SIZE + AUTHOR_OFFSET;
    const author = authors[view.getUint16(entry, true)] ?? '';
    comments.push({ author, at: places[index]!, from, to });
  }
  return comments.sort((a, b) => a.at - b.at);
}

/** Returns the comments of a document one after the other, as the reader reaches their passages. */
export class CommentQueue {
  readonly #comments: WordComment[];
  #next = 0;

  constructor(comments: WordComment[]) {
    this.#comments = comments;
  }

  /** Returns the comments on the text up to a position that were not returned before. */
  take(to: number): WordComment[] {
    const from = this.#next;
    while (this.#next < this.#comments.length && this.#comments[this.#next]!.at <= to) this.#next++;
    return this.#comments.slice(from, this.#next);
  }
}

/** Reads the names of authors. Each name follows the number of its characters. */
function readAuthors(table: Uint8Array): string[] {
  const names: string[] = [];
  const view = createDataView(table);
  const decoder = new TextDecoder('utf-16le');
  for (let at = 0; at + 2 <= table.length; ) {
    const length = view.getUint16(at, true) * 2;
    names.push(decoder.decode(table.subarray(at + 2, at + 2 + Math.min(length, MAX_NAME * 2))).trim());
    at += 2 + length;
  }
  return names;
}
