import { z } from 'zod';
import { builtinEmbedder } from '#src/builtin/embedder.ts';
import { defineEmbedder } from './definition.ts';

const MODEL = 'managed-text-embedding-3-small';
const embedder = builtinEmbedder();

/** The default: Sluice's own deterministic embedder. It needs no network and no configuration. */
export const managed = defineEmbedder({
  kind: 'PROVIDER_F_EMBEDDING',
  className: 'ManagedOpenAIEmbedding',
  fields: { model_name: z.literal(MODEL).nullable().default(MODEL) },
  capabilities: { maxBatch: 2048, tellsPurpose: false },
  open: () => embedder,
});
