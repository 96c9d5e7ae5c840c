import type { z } from 'zod';
import type { Context } from '#src/context.ts';
import { DomainError } from '#src/errors.ts';
import type { embeddingConfig } from '#src/models/embedding/components.ts';
import { openEmbedder } from '#src/models/embedding/registry.ts';
import { openEmbedding, sealEmbedding } from './embedding-model-configs.ts';

export interface ConnectionCheck {
  success: boolean;
  message: string;
}

const PLACE = 'validate-integrations/embedding_config';

/** Embeds one text with the configuration. A malformed one is `Invalid`; one that does not work says why. */
export async function validateEmbeddingConnection(
  ctx: Context,
  input: z.infer<typeof embeddingConfig>,
): Promise<ConnectionCheck> {
  const checked = await sealEmbedding(ctx, input, PLACE);
  try {
    const embedder = openEmbedder(await openEmbedding(ctx, checked, PLACE), ctx.settings);
    const [vector] = await embedder.embed(['A text to try the connection with.'], 'query');
    return { success: true, message: `${embedder.modelId} gives vectors of ${vector!.length} dimensions.` };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { success: false, message: error.message };
  }
}
