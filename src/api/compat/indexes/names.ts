import { z } from 'zod';
import { NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';

/** Id of an index in a request body. Any text is accepted, so that an unknown id is answered with 404. */
export const indexId = z
  .string()
  .min(1)
  .max(200)
  .transform(bareId)
  .describe('Id of an index or pipeline: a UUID, plain or as `idx-<uuid>`.');

/** Rethrows the error of a missing pipeline so that it names an index, as the client does. */
export async function withIndexName<Result>(id: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotFound && error.message.startsWith('Pipeline ')) throw new NotFound('Index', id);
    throw error;
  }
}
