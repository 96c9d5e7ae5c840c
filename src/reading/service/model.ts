import type { LanguageModel } from 'ai';
import type { Context } from '#src/context/context.ts';
import { DomainError, RateLimited, Upstream } from '#src/lib/errors.ts';
import type { CallerModelProblem } from '#src/ports/language-model.ts';
import { findOwnModel, type RequestedModel } from '#src/reading/plan/own-model.ts';
import type { PagePlan } from '#src/reading/plan/page-plan.ts';
import { getLanguageModel } from '#src/services/models/language.ts';

/**
 * Returns the language model that reads the pages. The caller's own model comes first, then the model named
 * in the parameters, then the default of the project or installation. Usage of a caller's own model is not
 * counted. Returns `undefined` if only the parser reads pages.
 */
export async function resolveModel(
  ctx: Context,
  projectId: string,
  plan: PagePlan,
): Promise<LanguageModel | undefined> {
  const requested = findOwnModel(plan);
  const own = requested && ctx.models.ownLanguage('parsing', requested.own);
  if (own && !isProblem(own)) return own;
  const { modelName } = plan.readingPlan;
  const isKnown = modelName !== undefined && ctx.models.languageNames().includes(modelName);
  return getLanguageModel(ctx, projectId, 'parsing', isKnown ? modelName : null).catch(rethrowAsPermanent);
}

/**
 * Returns the parameter that prevents the use of the caller's own model, with the reason. Returns `undefined`
 * if the model can be used.
 */
export function findOwnModelProblem(
  ctx: Context,
  plan: PagePlan,
): { field: string; reason: string } | undefined {
  const requested = findOwnModel(plan);
  const own = requested && ctx.models.ownLanguage('parsing', requested.own);
  if (!own || !isProblem(own)) return undefined;
  return {
    field: getFieldName(requested, own.part),
    reason: `${own.problem} The configured models read the pages instead.`,
  };
}

/**
 * Rethrows an error of the caller's own model. If the endpoint rejected the API key, the message names the
 * parameter that contains the key.
 */
export function rethrowWithKeyField(error: unknown, plan: PagePlan): never {
  const requested = findOwnModel(plan);
  if (!requested || !(error instanceof Upstream) || (error.status !== 401 && error.status !== 403))
    throw error;
  const { status, cause } = error;
  const message = `${error.message} Check the key in ${getFieldName(requested, 'key')}.`;
  throw new Upstream(message, { retryable: false, status, cause });
}

const getFieldName = ({ fields }: RequestedModel, part: CallerModelProblem['part']): string =>
  fields[part] ?? fields.key ?? 'model';

const isProblem = (own: LanguageModel | CallerModelProblem): own is CallerModelProblem =>
  typeof own === 'object' && 'problem' in own;

/**
 * Rethrows an error. A daily token limit is rethrown as a permanent error, because retries would have to wait
 * until the next day.
 */
export function rethrowAsPermanent(error: unknown): never {
  if (!(error instanceof RateLimited)) throw error;
  throw new DomainError('rate_limited', error.message, { retryable: false, cause: error });
}
