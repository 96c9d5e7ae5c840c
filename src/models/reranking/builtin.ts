import { z } from 'zod';
import { createBuiltinReranker } from '#src/builtin/reranker.ts';
import { defineReranker } from './definition.ts';

/** The built-in reranker, which compares words. It needs no network and no configuration. */
export const builtin = defineReranker({
  kind: 'builtin',
  className: 'BuiltinRerank',
  settings: z.object({}),
  capabilities: { maxCandidates: 1_000 },
  open: () => createBuiltinReranker(),
});
