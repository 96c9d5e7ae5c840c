import type { ShownComment } from '#src/formats/shared/flow/comments.ts';
import { iterateRecords, type PptRecord, TYPES } from './records.ts';

/** Instance numbers of the names inside a comment. */
const AUTHOR = 0;
const TEXT = 1;

const utf16 = new TextDecoder('utf-16le');

/** Reads the comments on a slide. They are stored among the data that programs add to slides. */
export function readComments(slide: PptRecord): ShownComment[] {
  return selectRecords([slide], [TYPES.programTags, TYPES.programTag, TYPES.programData, TYPES.comment]).map(
    (comment) => {
      const names = new Map(
        [...iterateRecords(comment.data)]
          .filter(({ type }) => type === TYPES.name)
          .map(({ instance, data }) => [instance, utf16.decode(data).trim()]),
      );
      return { author: names.get(AUTHOR) ?? '', runs: [{ text: names.get(TEXT) ?? '' }] };
    },
  );
}

/** Returns the records at the end of a path of types. */
function selectRecords(parents: PptRecord[], [type, ...rest]: number[]): PptRecord[] {
  if (type === undefined) return parents;
  const found = parents.flatMap(({ data }) =>
    [...iterateRecords(data)].filter((record) => record.type === type),
  );
  return selectRecords(found, rest);
}
