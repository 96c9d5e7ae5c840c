import { z } from 'zod';
import { componentInput } from '#src/lib/schema/component.ts';
import { withSelected } from '#src/lib/schema/effect.ts';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import type { EmbeddingType } from './registry.ts';
import { EMBEDDING_TYPES, embeddingComponents, embeddingTypeOf } from './registry.ts';

/**
 * An embedding configuration in requests and responses. The type selects the schema of the component, which
 * `sealEmbedding` validates.
 */
export const embeddingConfig = withSelected(
  z.object({
    type: z.enum(EMBEDDING_TYPES).nullish(),
    component: componentInput(embeddingComponents, { freeForm: false }).nullish(),
  }),
  {
    component({ type, component }) {
      const named = type ?? (isRecord(component) ? embeddingTypeOf(component) : undefined);
      return named ? embeddingComponents[named as EmbeddingType] : undefined;
    },
  },
);
