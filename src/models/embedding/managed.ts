import { builtinEmbedder } from '#src/builtin/embedder.ts';
import type { EmbedderDriver } from './embedder.ts';

/** The default: Sluice's own deterministic embedder, no network, no configuration. */
const embedder = builtinEmbedder();

export const managedEmbedder: EmbedderDriver = () => embedder;
