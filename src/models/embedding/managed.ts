import { z } from 'zod';
import { builtinEmbedder } from '#src/builtin/embedder.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { Settings } from '#src/settings/settings.ts';
import { openai } from './openai.ts';
import { defineEmbedder } from './shared/definition.ts';
import { WORKERS_AI_MODEL, workersAiEmbedder } from './workers-ai.ts';

const MODEL = 'managed-text-embedding-3-small';
/** Name of the built-in embedder in EMBEDDING_MODEL. Indexes without a recorded model used it. */
export const BUILTIN = 'builtin';
const builtin = builtinEmbedder();

/** Type of pipelines that name no model. The installation decides which model that is. */
export const managed = defineEmbedder({
  kind: 'PROVIDER_F_EMBEDDING',
  title: 'Default of the installation',
  client: { word: 'MANAGED_OPENAI_EMBEDDING', className: 'ManagedOpenAIEmbedding' },
  fields: { model_name: z.literal(MODEL).nullable().default(MODEL) },
  capabilities: { maxBatch: 2048, tellsPurpose: false },
  open: () => builtin,
});

type EmbeddingSettings = Pick<Settings, 'EMBEDDING_BASE_URL' | 'EMBEDDING_MODEL' | 'EMBEDDING_API_KEY'>;
interface Batching {
  embed_batch_size?: number | null;
  num_workers?: number | null;
}

export interface ManagedModels {
  /** Current default model, by the name that indexes store. */
  default: string;
  /** Name of that model without its address. */
  defaultModel: string;
  /** Throws Conflict when this installation does not have the model any more. */
  open(name: string, component: Record<string, unknown>): Embedder;
}

/**
 * Returns the managed models. The default is the operator's endpoint, otherwise the model of Workers AI if it
 * is bound, otherwise the built-in embedder. The others can be opened too, because indexes may have been
 * built with them.
 */
export function managedModels(settings: EmbeddingSettings, deps: ModelDeps): ManagedModels {
  const { EMBEDDING_BASE_URL: api_base, EMBEDDING_MODEL: model, EMBEDDING_API_KEY: api_key } = settings;
  const { AI } = deps.bindings;
  const suffix = `@${api_base}`;

  function defaultName(): string {
    if (model === BUILTIN) return BUILTIN;
    if (api_base) return `${model}${suffix}`;
    return AI ? WORKERS_AI_MODEL : BUILTIN;
  }

  const standard = defaultName();
  return {
    default: standard,
    defaultModel: standard === BUILTIN ? builtin.modelId : standard.replace(suffix, ''),
    open(name, component) {
      const { embed_batch_size, num_workers } = managed.settings.parse(component) as Batching;
      if (name === BUILTIN) return builtin;
      if (name === WORKERS_AI_MODEL && AI) {
        return workersAiEmbedder(AI, { size: embed_batch_size ?? 10, workers: num_workers ?? 1 }, deps);
      }
      if (api_base && name.endsWith(suffix)) {
        const model_name = name.slice(0, -suffix.length);
        return openai.open({ api_base, api_key, model_name, embed_batch_size, num_workers }, deps);
      }
      throw new Conflict(
        `Its index was made with ${name}, an embedding model that this installation no longer has.`,
      );
    },
  };
}
