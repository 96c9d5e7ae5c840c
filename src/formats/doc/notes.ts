import { positionsOf, type WordFile } from './file-information.ts';

export interface Note {
  mark: string;
  /** Where its text is. */
  from: number;
  to: number;
}

/** Numbers of the tables: where notes are referred to, and where the text of each begins. */
const FOOTNOTES = [2, 3] as const;
const ENDNOTES = [46, 47] as const;

/** The notes of a document by where they are referred to, numbered in that order, endnotes after footnotes. */
export function readNotes(file: WordFile, length: number): Map<number, Note> {
  const { body, footnotes, headers, macros, comments } = file.lengths;
  const notes = new Map<number, Note>();
  const add = ([references, texts]: readonly [number, number], first: number) => {
    const places = positionsOf(file.table(references), 2);
    const starts = positionsOf(file.table(texts), 0);
    // Notes that share text would be copies of it.
    let reached = first;
    for (let index = 0; index + 1 < places.length && index + 1 < starts.length; index++) {
      const [from, to] = [first + starts[index]!, first + starts[index + 1]!];
      if (from >= reached && from < to && to <= length && !notes.has(places[index]!)) {
        reached = to;
        notes.set(places[index]!, { mark: String(notes.size + 1), from, to });
      }
    }
  };
  add(FOOTNOTES, body);
  add(ENDNOTES, body + footnotes + headers + macros + comments);
  return notes;
}
