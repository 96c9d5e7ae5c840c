import { DomainError, Invalid } from '#src/lib/errors.ts';
import { parseBoundedJson } from '#src/lib/json/parse-json.ts';
import { collectWarnings, type Warning } from '#src/lib/schema/effect.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ByteLine } from '#src/lib/text/byte-lines.ts';
import { type NewDocument, newDocument } from '../document-input.ts';

/** Maximum length of a line in bytes, as long as other JSON bodies may be. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

export interface ReadLine {
  document: NewDocument;
  warnings: Warning[];
}

/** Reads a document from a line of JSON Lines. Returns `undefined` for a blank line, and throws Invalid otherwise. */
export function readLine({ bytes }: ByteLine): ReadLine | undefined {
  if (!bytes) throw createError(`A line is limited to ${MAX_LINE_BYTES / 1024 / 1024} MiB`, 'too_long');
  const text = decode(bytes);
  if (text.trim() === '') return undefined;
  const value = parseBoundedJson(text);
  const document = parseInput(newDocument, value, ['body']);
  return { document, warnings: hasOtherFields(value as object) ? collectWarnings(newDocument, value) : [] };
}

const hasOtherFields = (value: object) =>
  Object.keys(value).some((name) => !Object.hasOwn(newDocument.shape, name));

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw createError('The line is not valid UTF-8', 'json_invalid');
  }
}

const createError = (msg: string, type: string) => new Invalid([{ loc: ['body'], msg, type }]);

/** A violated rule of a line. `loc` is the path of the field in the document, which is empty for the whole line. */
export interface LineError {
  loc: (string | number)[];
  message: string;
}

/** Returns the first violated rule. Throws errors that are no fault of the line. */
export function describeLineError(error: unknown): LineError {
  if (!(error instanceof DomainError) || error.code !== 'invalid') throw error;
  const issue = error instanceof Invalid ? error.issues[0] : undefined;
  return { loc: issue?.loc.slice(1) ?? [], message: issue?.msg ?? error.message };
}
