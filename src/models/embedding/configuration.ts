import { z } from 'zod';
import { componentInput } from '#src/lib/component.ts';
import { EMBEDDING_TYPES, embeddingComponents } from './registry.ts';

/** As it comes in and goes out: the type selects the component's shape, which `sealEmbedding` holds it to. */
export const embeddingConfig = z.object({
  type: z.enum(EMBEDDING_TYPES).nullish(),
  component: componentInput(embeddingComponents, { freeForm: false }).nullish(),
});
