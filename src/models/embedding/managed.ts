import { z } from 'zod';
import { createBuiltinEmbedder } from '#src/builtin/embedder.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { Settings } from '#src/settings/settings.ts';
import { openai } from './openai.ts';
import { defineEmbedder } from './shared/definition.ts';
import { createWorkersAiEmbedder, WORKERS_AI_MODEL } from './workers-ai.ts';

const MODEL = 'managed-text-embedding-3-small';
/**
 * Value of EMBEDDING_MODEL that selects the built-in embedder. Indexes without a recorded model were built
 * with this embedder.
 */
export const BUILTIN = 'builtin';
const builtin = createBuiltinEmbedder();

/**
 * Embedding model type of pipelines that do not choose a model. The installation decides which model is used.
 */
export const managed = defineEmbedder({
  kind: 'PROVIDER_F_EMBEDDING',
  title: 'Default of the installation',
  client: { word: 'MANAGED_OPENAI_EMBEDDING', className: 'ManagedOpenAIEmbedding' },
  fields: { model_name: z.literal(MODEL).nullable().default(MODEL) },
  capabilities: { maxBatch: 2048, distinguishesPurpose: false },
  open: () => builtin,
});

type EmbeddingSettings = Pick<Settings, 'EMBEDDING_BASE_URL' | 'EMBEDDING_MODEL' | 'EMBEDDING_API_KEY'>;
interface Batching {
  embed_batch_size?: number | null;
  num_workers?: number | null;
}

export interface ManagedModels {
  /** Current default embedding model, under the name that indexes store. */
  default: string;
  /** Name of the default embedding model without the address of its endpoint. */
  defaultModel: string;
  /**
   * Opens the embedding model with which an index was built. Throws `Conflict` if this installation no longer
   * has that model.
   */
  open(name: string, component: Record<string, unknown>): Embedder;
}

/**
 * Creates the embedding models of the installation. The default is the operator's endpoint, otherwise Workers
 * AI if it is bound, otherwise the built-in model. The other models can be opened too, because existing
 * indexes may use them.
 */
export function createManagedModels(settings: EmbeddingSettings, deps: ModelDeps): ManagedModels {
  const { EMBEDDING_BASE_URL: api_base, EMBEDDING_MODEL: model, EMBEDDING_API_KEY: api_key } = settings;
  const { AI } = deps.bindings;
  const suffix = `@${api_base}`;

  function chooseDefaultName(): string {
    if (model === BUILTIN) return BUILTIN;
    if (api_base) return `${model}${suffix}`;
    return AI ? WORKERS_AI_MODEL : BUILTIN;
  }

  const defaultModelName = chooseDefaultName();
  return {
    default: defaultModelName,
    defaultModel: defaultModelName === BUILTIN ? builtin.modelId : defaultModelName.replace(suffix, ''),
    open(name, component) {
      const { embed_batch_size, num_workers } = managed.settings.parse(component) as Batching;
      if (name === BUILTIN) return builtin;
      if (name === WORKERS_AI_MODEL && AI) {
        return createWorkersAiEmbedder(AI, { size: embed_batch_size ?? 10, workers: num_workers ?? 1 }, deps);
      }
      if (api_base && name.endsWith(suffix)) {
        const model_name = name.slice(0, -suffix.length);
        return openai.open({ api_base, api_key, model_name, embed_batch_size, num_workers }, deps);
      }
      throw new Conflict(
        `The index was built with the embedding model ${name}, which this installation no longer has.`,
      );
    },
  };
}
