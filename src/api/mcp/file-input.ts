import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';

/**
 * Parameters of tools that take a file. Both names are accepted, because other tools return `file_id` while the API calls
 * the field `file_input`.
 */
export const fileParameters = (description: string) => ({
  file_input: z.string().min(1).max(200).nullish().describe(description),
  file_id: z.string().min(1).max(200).nullish().describe('Another name of file_input. Send one of the two.'),
});

/** Returns the file of a call. Throws Invalid unless the call names exactly one. */
export function readFileInput(input: {
  file_input?: string | null | undefined;
  file_id?: string | null | undefined;
}): string {
  const given = new Set([input.file_input, input.file_id].filter((each) => each != null));
  if (given.size > 1) throw Invalid.field(['file_id'], 'either file_input or file_id, not both');
  const [file] = given;
  if (file === undefined) throw Invalid.field(['file_input'], 'file_input or file_id is required', 'missing');
  return file;
}
