import type { z } from 'zod';
import type { Context } from '#src/context/context.ts';
import { DomainError, Invalid } from '#src/lib/errors.ts';
import type { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { openEmbedding, sealEmbedding } from './embedding-model-configs.ts';

export interface ConnectionCheck {
  success: boolean;
  message: string;
  /**
   * Path of the setting that caused the error, such as `['component', 'url']`. Absent if the error names no
   * setting.
   */
  loc?: (string | number)[];
}

/** Returns a domain error as a failed check. Other errors are thrown again. */
export function failedCheck(error: unknown): ConnectionCheck {
  if (!(error instanceof DomainError)) throw error;
  if (!(error instanceof Invalid)) return { success: false, message: error.message };
  const places = error.issues.map(({ loc, msg }) => ({ loc: loc[0] === 'body' ? loc.slice(1) : loc, msg }));
  const message = places.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return { success: false, message, ...(places[0] && { loc: places[0].loc }) };
}

const PLACE = 'validate-integrations/embedding_config';

/**
 * Tests an embedding configuration as its provider's definition describes. Throws `Invalid` if the
 * configuration is malformed.
 */
export async function validateEmbeddingConnection(
  ctx: Context,
  input: z.infer<typeof embeddingConfig>,
): Promise<ConnectionCheck> {
  const checked = await sealEmbedding(ctx, input, PLACE);
  try {
    const message = await ctx.models.checkEmbedding(await openEmbedding(ctx, checked, PLACE));
    return { success: true, message };
  } catch (error) {
    return failedCheck(error);
  }
}
