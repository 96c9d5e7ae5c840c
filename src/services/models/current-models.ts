import type { TenantContext } from '#src/context/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import { BUILTIN, getModelName, LANGUAGE_USES, type LanguageUse } from '#src/ports/language-model.ts';
import { findModelSettings } from './settings.ts';

/** Time in milliseconds to wait for an answer of the parser, which may be busy with a large page. */
const PARSER_WAIT_MS = 2_000;

export interface CurrentModel {
  model: string;
  built_in: boolean;
}

export interface CurrentLanguageModel {
  /**
   * Name of the model, or `builtin` for the built-in implementation. Null if the configuration has a problem.
   */
  model: string | null;
  built_in: boolean;
  problem: string | null;
}

/** Returns the models that the project of the request uses, and its daily token limit. */
export async function getCurrentModels(ctx: TenantContext) {
  const [settings, ocr] = await Promise.all([findModelSettings(ctx, ctx.projectId), getCurrentOcr(ctx)]);
  const language = Object.fromEntries(
    LANGUAGE_USES.map((use) => [use, getCurrentLanguageModel(ctx, use, settings?.models[use])]),
  ) as Record<LanguageUse, CurrentLanguageModel>;
  return {
    embedding: toCurrentModel(ctx.models.defaultEmbedding),
    rerank: toCurrentModel(ctx.models.reranking().modelId),
    ocr,
    language,
    languageNames: ctx.models.languageNames(),
    dailyTokens: settings?.dailyTokens ?? ctx.settings.LLM_DAILY_TOKENS,
  };
}

const toCurrentModel = (model: string): CurrentModel => ({
  model,
  built_in: model.startsWith(`${BUILTIN}/`),
});

/** Returns the OCR engine. Returns null if there is none or the parser does not answer in time. */
async function getCurrentOcr({ parser }: TenantContext): Promise<CurrentModel | null> {
  const id = await Promise.race([parser.ocrId().catch(() => ''), scheduler.wait(PARSER_WAIT_MS)]);
  return id ? toCurrentModel(id) : null;
}

function getCurrentLanguageModel(
  ctx: TenantContext,
  use: LanguageUse,
  chosen?: string,
): CurrentLanguageModel {
  try {
    const model = chosen === BUILTIN ? undefined : ctx.models.language(use, chosen);
    return { model: model ? getModelName(model) : BUILTIN, built_in: !model, problem: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { model: null, built_in: false, problem: error.message };
  }
}
