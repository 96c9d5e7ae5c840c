import { z } from 'zod';
import { getErrorMessage } from '#src/lib/errors.ts';
import { createImportError, type ImportedItem, type ImportedQuestion, iterateLines } from './records.ts';

const reference = {
  document_id: z.string().min(1).optional(),
  file_name: z.string().min(1).optional(),
  external_file_id: z.string().min(1).optional(),
};
const relevance = z.number().optional();
const passage = z.strictObject({ ...reference, text: z.string(), relevance });
const page = z.strictObject({ ...reference, page: z.number(), relevance });
const document = z.strictObject({ ...reference, relevance });
const record = z.strictObject({
  text: z.string(),
  external_id: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  expected_answer: z.string().nullish(),
  expects_refusal: z.boolean().nullish(),
  origin: z.string().nullish(),
  expected_passages: z.array(passage).nullish(),
  expected_pages: z.array(page).nullish(),
  expected_documents: z.array(document).nullish(),
});

/**
 * Reads questions from JSON Lines. Each line has the members of a new question. Documents may also be named by
 * `file_name` or `external_file_id`. Throws Invalid with the number of the line and the name of the field.
 */
export function readJsonLines(content: string): ImportedQuestion[] {
  return [...iterateLines(content)].map(({ line, number }) => {
    const place = `line ${number}`;
    const parsed = record.safeParse(parseJson('content', place, line));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue!.path.join('.');
      throw createImportError('content', place, `${field ? `field ${field}: ` : ''}${issue!.message}`);
    }
    const { expected_passages, expected_pages, expected_documents, ...fields } = parsed.data;
    return {
      place,
      fields,
      passages: (expected_passages ?? []) as ImportedItem[],
      pages: (expected_pages ?? []) as ImportedItem[],
      documents: (expected_documents ?? []) as ImportedItem[],
    };
  });
}

/** Parses a line of JSON Lines. Throws Invalid with the number of the line. */
export function parseJson(field: string, place: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw createImportError(field, place, `no valid JSON: ${getErrorMessage(error)}`);
  }
}
