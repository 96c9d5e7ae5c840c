import type { LanguageModel } from 'ai';
import type { Context } from '#src/context.ts';
import { DomainError, RateLimited } from '#src/errors.ts';
import type { Plan } from '#src/reading/plan.ts';
import { languageFor } from '#src/services/models/language.ts';

/**
 * The model that reads a project's pages: the one that the parameters name, where the installation has one of that
 * name, else the project's or the installation's. Undefined: the parser alone reads.
 */
export function modelOf(
  ctx: Context,
  projectId: string,
  { modelName }: Plan,
): Promise<LanguageModel | undefined> {
  const isKnown = modelName !== undefined && ctx.models.languageNames().includes(modelName);
  return languageFor(ctx, projectId, 'parsing', isKnown ? modelName : null).catch(throwForGood);
}

/** Nobody waits for the next day's tokens: what needs them fails, and says what it lacked. */
export function throwForGood(error: unknown): never {
  if (!(error instanceof RateLimited)) throw error;
  throw new DomainError('rate_limited', error.message, { retryable: false, cause: error });
}
