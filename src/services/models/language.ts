import { type LanguageModel, wrapLanguageModel } from 'ai';
import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { modelSettings, projects } from '#src/db/schema/index.ts';
import { BUILTIN, getModelName, type LanguageUse } from '#src/ports/language-model.ts';
import { createDailyLimitError } from '#src/services/limits/limits.ts';
import { createCountingMiddleware } from './counting-middleware.ts';
import { countCall, selectTokensToday } from './usage.ts';

/**
 * Returns the language model for a use: the named model, otherwise the project's choice, otherwise the
 * installation's default. Calls of the model are counted. Returns `undefined` if the built-in implementation
 * is to be used. Throws RateLimited if the project has used its daily tokens. Later calls of the returned
 * model throw it too.
 */
export async function getLanguageModel(
  ctx: Context,
  projectId: string,
  use: LanguageUse,
  name?: string | null,
): Promise<LanguageModel | undefined> {
  // If no model is configured, the database is not queried. Invalid settings still throw an error.
  if (ctx.models.languageNames().length === 0) return ctx.models.language(use);
  const { models, limit, spent } = await readDailyUsage(ctx, projectId);
  const chosen = name ?? models[use];
  if (chosen === BUILTIN) return undefined;
  const model = ctx.models.language(use, chosen);
  if (!model || typeof model === 'string') return model;
  let taken = spent;
  const requireTokens = () => {
    if (limit > 0 && taken >= limit) throw createTokenLimitError(limit);
  };
  requireTokens();
  const middleware = createCountingMiddleware(requireTokens, (call) => {
    taken += call.inputTokens + call.outputTokens;
    const prices = ctx.models.languagePrices(use, chosen);
    countCall(ctx, { projectId, use, model: getModelName(model), ...call }, prices);
  });
  return wrapLanguageModel({ model, middleware });
}

/** Reads a project's models, token limit and tokens used today in one query. */
async function readDailyUsage(ctx: Context, projectId: string) {
  const [row] = await ctx.db
    .select({
      models: modelSettings.models,
      dailyTokens: modelSettings.dailyTokens,
      spent: selectTokensToday(projectId).as('spent'),
    })
    .from(projects)
    .leftJoin(modelSettings, eq(modelSettings.projectId, projects.id))
    .where(eq(projects.id, projectId));
  return {
    models: row?.models ?? {},
    limit: row?.dailyTokens ?? ctx.settings.LLM_DAILY_TOKENS,
    spent: row?.spent ?? 0,
  };
}

/** Returns the tokens that a project used today, and its daily limit, which is null if there is none. */
export async function getTokenUsage(ctx: Context, projectId: string) {
  const { limit, spent } = await readDailyUsage(ctx, projectId);
  return { used: spent, limit: limit || null };
}

const createTokenLimitError = (limit: number) =>
  createDailyLimitError(
    'daily_tokens',
    `The project has used all of its ${limit} language model tokens for today`,
  );
