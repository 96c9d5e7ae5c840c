import { type LanguageModel, wrapLanguageModel } from 'ai';
import { eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { modelSettings, projects } from '#src/db/schema/index.ts';
import { BUILTIN, type LanguageUse, nameOf } from '#src/ports/language-model.ts';
import { usedUpToday } from '#src/services/limits/limits.ts';
import { counted } from './counted.ts';
import { countCall, spentToday } from './usage.ts';

/**
 * Returns the language model of a project: the named one, otherwise the project's choice for this use,
 * otherwise the installation's. Its usage is counted. Returns undefined if the built-in implementation should
 * be used. Throws RateLimited if the project has used its daily tokens. Calls of the returned model throw it
 * as well once the tokens are used up.
 */
export async function languageFor(
  ctx: Context,
  projectId: string,
  use: LanguageUse,
  name?: string | null,
): Promise<LanguageModel | undefined> {
  // Without configured models no database query is needed. Wrong settings still throw.
  if (ctx.models.languageNames().length === 0) return ctx.models.language(use);
  const { models, limit, spent } = await todayOf(ctx, projectId);
  const chosen = name ?? models[use];
  if (chosen === BUILTIN) return undefined;
  const model = ctx.models.language(use, chosen);
  if (!model || typeof model === 'string') return model;
  let taken = spent;
  const requireTokens = () => {
    if (limit > 0 && taken >= limit) throw exhausted(limit);
  };
  requireTokens();
  const middleware = counted(requireTokens, (call) => {
    taken += call.inputTokens + call.outputTokens;
    const prices = ctx.models.languagePrices(use, chosen);
    countCall(ctx, { projectId, use, model: nameOf(model), ...call }, prices);
  });
  return wrapLanguageModel({ model, middleware });
}

/** Reads a project's choices, token limit and usage in one round trip. */
async function todayOf(ctx: Context, projectId: string) {
  const [row] = await ctx.db
    .select({
      models: modelSettings.models,
      dailyTokens: modelSettings.dailyTokens,
      spent: spentToday(projectId).as('spent'),
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

/** Returns the tokens that a project used today, and its daily limit. */
export async function tokensOf(ctx: Context, projectId: string) {
  const { limit, spent } = await todayOf(ctx, projectId);
  return { used: spent, limit: limit || null };
}

const exhausted = (limit: number) =>
  usedUpToday(
    'daily_tokens',
    `The project has used the ${limit} tokens of language models that it has a day`,
  );
