import { z } from 'zod';
import { builtinReranker } from '#src/builtin/reranker.ts';
import { defineReranker } from './definition.ts';

/** Sluice's own: it reads words, needs no network and no configuration. */
export const builtin = defineReranker({
  kind: 'builtin',
  className: 'BuiltinRerank',
  settings: z.object({}),
  capabilities: { maxCandidates: 1_000 },
  open: builtinReranker,
});
