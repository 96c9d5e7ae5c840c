import type { TenantContext } from '#src/context/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import { getLanguageModel } from './language.ts';

/** Names of the rerankers that a request may choose. */
export const RERANKER_NAMES = ['system_default', 'llm', 'provider_b', 'provider_c'] as const;
export type RerankerName = (typeof RERANKER_NAMES)[number];

const KINDS = { provider_b: 'cohere', provider_c: 'bedrock' } as const;
const TITLES = { llm: 'language model', provider_b: 'Cohere', provider_c: 'Amazon Bedrock' } as const;

export interface ChosenReranker {
  reranker: Reranker;
  /** Reason why another reranker is used instead of the requested one. */
  fallbackReason?: string;
}

/**
 * Returns the requested reranker. Falls back to the installation's reranker if the requested one is not
 * configured.
 */
export async function getReranker(ctx: TenantContext, asked: RerankerName): Promise<ChosenReranker> {
  if (asked === 'system_default') return { reranker: ctx.models.reranking() };
  const { reranker, lacking } = await findReranker(ctx, asked);
  if (reranker) return { reranker };
  const standard = ctx.models.reranking();
  return { reranker: standard, fallbackReason: `${lacking}; ${standard.modelId} was used instead.` };
}

async function findReranker(
  ctx: TenantContext,
  asked: Exclude<RerankerName, 'system_default'>,
): Promise<{ reranker?: Reranker | undefined; lacking: string }> {
  const lacking = `No ${TITLES[asked]} reranker is configured`;
  if (asked !== 'llm') return { reranker: ctx.models.namedReranking(KINDS[asked]), lacking };
  try {
    const model = await getLanguageModel(ctx, ctx.projectId, 'reranking');
    return { reranker: model && ctx.models.namedReranking(model), lacking };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { lacking: error.message.replace(/\.$/, '') };
  }
}
