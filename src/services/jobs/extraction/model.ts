import type { LanguageModel } from 'ai';
import type { Context } from '#src/context/context.ts';
import { DomainError, RateLimited } from '#src/lib/errors.ts';
import type { LanguageUse } from '#src/ports/language-model.ts';
import { languageFor } from '#src/services/models/language.ts';

/**
 * Returns the language model of a job. A job does not wait for the next day's tokens; it fails with an error
 * that says so.
 */
export async function modelOfJob(
  ctx: Context,
  projectId: string,
  use: LanguageUse,
): Promise<LanguageModel | undefined> {
  return languageFor(ctx, projectId, use).catch((error: unknown) => {
    if (!(error instanceof RateLimited)) throw error;
    throw new DomainError('rate_limited', error.message, { retryable: false, cause: error });
  });
}
