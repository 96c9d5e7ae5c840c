import type { LanguageModel } from 'ai';
import type { Context } from '#src/context/context.ts';
import { DomainError, RateLimited } from '#src/lib/errors.ts';
import type { LanguageUse } from '#src/ports/language-model.ts';
import { getLanguageModel } from '#src/services/models/language.ts';

/**
 * Returns the language model for a job. If the daily tokens are used up, throws a permanent error, because a
 * job does not wait until the next day.
 */
export async function getJobModel(
  ctx: Context,
  projectId: string,
  use: LanguageUse,
): Promise<LanguageModel | undefined> {
  return getLanguageModel(ctx, projectId, use).catch((error: unknown) => {
    if (!(error instanceof RateLimited)) throw error;
    throw new DomainError('rate_limited', error.message, { retryable: false, cause: error });
  });
}
