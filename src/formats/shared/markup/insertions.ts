import type { Run } from '../flow/runs.ts';

/** Maximum number of characters that all references to texts of a document may insert. */
const MAX_INSERTED_CHARACTERS = 4 * 1024 * 1024;

/**
 * Limits the text that short references insert, such as `{name}` in AsciiDoc. Otherwise a small file could
 * become a text of gigabytes.
 */
export class Insertions {
  #left = MAX_INSERTED_CHARACTERS;

  /** Returns the runs that replace a reference, or `undefined` if the text is unknown or the limit is reached. */
  insert(text: string | undefined): Run[] | undefined {
    if (text === undefined || text.length > this.#left) return undefined;
    this.#left -= text.length;
    return [{ text }];
  }
}
