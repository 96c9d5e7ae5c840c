import type { TenantContext } from '#src/context/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import { BUILTIN, LANGUAGE_USES, type LanguageUse, nameOf } from '#src/ports/language-model.ts';
import { findModelSettings } from './settings.ts';

/** Milliseconds to wait for the parser, which may be busy with a large page. */
const PARSER_WAIT_MS = 2_000;

export interface ModelInForce {
  model: string;
  built_in: boolean;
}

export interface LanguageModelInForce {
  /** Name of the model, or `builtin`. Null if the configuration has a problem. */
  model: string | null;
  built_in: boolean;
  problem: string | null;
}

/** Returns the models that a request's project uses, and its daily token limit. */
export async function modelsInForce(ctx: TenantContext) {
  const [settings, ocr] = await Promise.all([findModelSettings(ctx, ctx.projectId), ocrInForce(ctx)]);
  const language = Object.fromEntries(
    LANGUAGE_USES.map((use) => [use, languageInForce(ctx, use, settings?.models[use])]),
  ) as Record<LanguageUse, LanguageModelInForce>;
  return {
    embedding: named(ctx.models.defaultEmbedding),
    rerank: named(ctx.models.reranking().modelId),
    ocr,
    language,
    languageNames: ctx.models.languageNames(),
    dailyTokens: settings?.dailyTokens ?? ctx.settings.LLM_DAILY_TOKENS,
  };
}

const named = (model: string): ModelInForce => ({ model, built_in: model.startsWith(`${BUILTIN}/`) });

/** Returns the OCR engine; null if there is none or the parser does not answer. */
async function ocrInForce({ parser }: TenantContext): Promise<ModelInForce | null> {
  const id = await Promise.race([parser.ocrId().catch(() => ''), scheduler.wait(PARSER_WAIT_MS)]);
  return id ? named(id) : null;
}

function languageInForce(ctx: TenantContext, use: LanguageUse, chosen?: string): LanguageModelInForce {
  try {
    const model = chosen === BUILTIN ? undefined : ctx.models.language(use, chosen);
    return { model: model ? nameOf(model) : BUILTIN, built_in: !model, problem: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { model: null, built_in: false, problem: error.message };
  }
}
