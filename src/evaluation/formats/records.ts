import { Invalid } from '#src/lib/errors.ts';

/** Reference to a document in an imported file. Exactly one member is set. */
export interface DocumentReference {
  document_id?: string;
  file_name?: string;
  external_file_id?: string;
  /** Id of a document in a benchmark, which may be an id, an external id or a file name. */
  benchmark_id?: string;
}

export interface ImportedItem extends DocumentReference {
  text?: string;
  page?: number;
  relevance?: number;
}

/** A question of an imported file, before its documents are looked up and its fields are validated. */
export interface ImportedQuestion {
  /** Place of the question in the file, such as `line 3`. */
  place: string;
  fields: Record<string, unknown>;
  passages: ImportedItem[];
  pages: ImportedItem[];
  documents: ImportedItem[];
}

/** Creates the error for an imported text. `field` is the field of the request that contains the text. */
export const createImportError = (field: string, place: string, problem: string): Invalid =>
  Invalid.field([field], `${place}: ${problem}`, 'import_error');

/** Yields the lines of a text that are not empty, with their numbers counted from 1. */
export function* iterateLines(text: string): Generator<{ line: string; number: number }> {
  let number = 0;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end).trim();
    number += 1;
    if (line !== '') yield { line, number };
    if (end < 0) return;
    from = end + 1;
  }
}
