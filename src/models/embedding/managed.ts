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
/** What indexes were made with that do not say it, and what EMBEDDING_MODEL names where no other is wanted. */
export const BUILTIN = 'builtin';
const builtin = builtinEmbedder();

/** The type of a pipeline that names no model: what it stands for is the installation's to say. */
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
  /** What the managed type stands for at present, by the name that indexes keep. */
  default: string;
  /** The model of that, without where it is. */
  defaultModel: string;
  /** Throws Conflict when this installation does not have the model any more. */
  open(name: string, component: Record<string, unknown>): Embedder;
}

/**
 * The default is the operator's endpoint, else the model of Workers AI where that is bound, else the built-in one. The
 * others, and other models of the endpoint, can be opened as well: indexes may have been made with them.
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
