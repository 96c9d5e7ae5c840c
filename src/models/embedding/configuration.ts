import { z } from 'zod';
import { componentInput } from '#src/lib/schema/component.ts';
import { withSelected } from '#src/lib/schema/effect.ts';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { EmbeddingType } from './registry.ts';
import { EMBEDDING_TYPES, embeddingComponents, findEmbeddingType } from './registry.ts';

/**
 * Schema of an embedding model config in requests and responses. The field `type` selects the schema of the
 * component, which `sealEmbedding` validates.
 */
export const embeddingConfig = withSelected(
  z.object({
    type: z.enum(EMBEDDING_TYPES).nullish(),
    component: componentInput(embeddingComponents, { freeForm: false }).nullish(),
  }),
  {
    component({ type, component }) {
      const named = type ?? (isRecord(component) ? findEmbeddingType(component) : undefined);
      return named ? embeddingComponents[named as EmbeddingType] : undefined;
    },
  },
);
