import type { LanguageModel } from 'ai';
import type { Context } from '#src/context/context.ts';
import { DomainError, RateLimited, Upstream } from '#src/lib/errors.ts';
import type { OwnProblem } from '#src/ports/language-model.ts';
import { type AskedModel, ownModelOf } from '#src/reading/plan/own-model.ts';
import type { Way } from '#src/reading/plan/ways.ts';
import { languageFor } from '#src/services/models/language.ts';

/**
 * Returns the model that reads a project's pages: the caller's own, otherwise the named one, otherwise that
 * of the project or the installation. Usage of a caller's own model is not counted. Undefined if only the
 * parser reads.
 */
export async function modelOf(ctx: Context, projectId: string, way: Way): Promise<LanguageModel | undefined> {
  const asked = ownModelOf(way);
  const own = asked && ctx.models.ownLanguage('parsing', asked.own);
  if (own && !isProblem(own)) return own;
  const { modelName } = way.plan;
  const isKnown = modelName !== undefined && ctx.models.languageNames().includes(modelName);
  return languageFor(ctx, projectId, 'parsing', isKnown ? modelName : null).catch(throwForGood);
}

/** Returns the parameter and the reason if the caller's own model cannot be used. */
export function ownProblemOf(ctx: Context, way: Way): { field: string; reason: string } | undefined {
  const asked = ownModelOf(way);
  const own = asked && ctx.models.ownLanguage('parsing', asked.own);
  if (!own || !isProblem(own)) return undefined;
  return { field: fieldOf(asked, own.part), reason: `${own.problem} Pages are read by the models here.` };
}

/** Rethrows an error of a caller's own model. A rejected key is reported with its parameter. */
export function throwNamingKey(error: unknown, way: Way): never {
  const asked = ownModelOf(way);
  if (!asked || !(error instanceof Upstream) || (error.status !== 401 && error.status !== 403)) throw error;
  const { status, cause } = error;
  const message = `${error.message} It is asked with ${fieldOf(asked, 'key')}.`;
  throw new Upstream(message, { retryable: false, status, cause });
}

const fieldOf = ({ fields }: AskedModel, part: OwnProblem['part']): string =>
  fields[part] ?? fields.key ?? 'model';

const isProblem = (own: LanguageModel | OwnProblem): own is OwnProblem =>
  typeof own === 'object' && 'problem' in own;

/** Rethrows a daily limit as a permanent error, because nobody waits for the next day's tokens. */
export function throwForGood(error: unknown): never {
  if (!(error instanceof RateLimited)) throw error;
  throw new DomainError('rate_limited', error.message, { retryable: false, cause: error });
}
