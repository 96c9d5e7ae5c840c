import type { z } from 'zod';
import type { Context } from '#src/context.ts';
import { DomainError } from '#src/errors.ts';
import type { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { openEmbedding, sealEmbedding } from './embedding-model-configs.ts';

export interface ConnectionCheck {
  success: boolean;
  message: string;
}

const PLACE = 'validate-integrations/embedding_config';

/** Tries the configuration as its provider's definition says. A malformed one is `Invalid`; one that does not work says why. */
export async function validateEmbeddingConnection(
  ctx: Context,
  input: z.infer<typeof embeddingConfig>,
): Promise<ConnectionCheck> {
  const checked = await sealEmbedding(ctx, input, PLACE);
  try {
    const message = await ctx.models.checkEmbedding(await openEmbedding(ctx, checked, PLACE));
    return { success: true, message };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { success: false, message: error.message };
  }
}
