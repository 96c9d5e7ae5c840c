import type { TenantContext } from '#src/context/context.ts';
import { DomainError } from '#src/lib/errors.ts';
import type { Reranker } from '#src/ports/reranker.ts';
import { languageFor } from './language.ts';

/** Rerankers that a request may choose. */
export const RERANKED_BY = ['system_default', 'llm', 'provider_b', 'provider_c'] as const;
export type RerankedBy = (typeof RERANKED_BY)[number];

const KINDS = { provider_b: 'cohere', provider_c: 'bedrock' } as const;

export interface ChosenReranker {
  reranker: Reranker;
  /** Reason why another reranker than the requested one is used. */
  instead?: string;
}

/** Returns the requested reranker, otherwise the installation's. */
export async function rerankerFor(ctx: TenantContext, asked: RerankedBy): Promise<ChosenReranker> {
  if (asked === 'system_default') return { reranker: ctx.models.reranking() };
  const { reranker, lacking } = await namedReranker(ctx, asked);
  if (reranker) return { reranker };
  const standard = ctx.models.reranking();
  return { reranker: standard, instead: `${lacking}; ${standard.modelId} was used instead.` };
}

async function namedReranker(
  ctx: TenantContext,
  asked: Exclude<RerankedBy, 'system_default'>,
): Promise<{ reranker?: Reranker | undefined; lacking: string }> {
  const lacking = `No reranker ${asked} is configured`;
  if (asked !== 'llm') return { reranker: ctx.models.namedReranking(KINDS[asked]), lacking };
  try {
    const model = await languageFor(ctx, ctx.projectId, 'reranking');
    return { reranker: model && ctx.models.namedReranking(model), lacking };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { lacking: error.message.replace(/\.$/, '') };
  }
}
