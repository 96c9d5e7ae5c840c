import { z } from 'zod';
import { builtinEmbedder } from '#src/builtin/embedder.ts';
import { Conflict } from '#src/errors.ts';
import type { ModelDeps } from '#src/models/definition.ts';
import type { Settings } from '#src/settings.ts';
import { defineEmbedder } from './definition.ts';
import type { Embedder } from './embedder.ts';
import { openai } from './openai.ts';
import { WORKERS_AI_MODEL, workersAiEmbedder } from './workers-ai.ts';

const MODEL = 'managed-text-embedding-3-small';
/** What indexes were made with that do not say it, and what EMBEDDING_MODEL names where no other is wanted. */
export const BUILTIN = 'builtin';
const builtin = builtinEmbedder();

/** The type of a pipeline that names no model: what it stands for is the installation's to say. */
export const managed = defineEmbedder({
  kind: 'PROVIDER_F_EMBEDDING',
  className: 'ManagedOpenAIEmbedding',
  fields: { model_name: z.literal(MODEL).nullable().default(MODEL) },
  capabilities: { maxBatch: 2048, tellsPurpose: false },
  open: () => builtin,
});

type EmbeddingSettings = Pick<Settings, 'EMBEDDING_BASE_URL' | 'EMBEDDING_MODEL' | 'EMBEDDING_API_KEY'>;
interface Batching {
  embed_batch_size?: number | null;
  num_workers?: number | null;
}
type Open = (batching: Batching) => Embedder;

/**
 * The models that the managed type may stand for here, by the names that indexes keep of them; the first is the
 * default: the operator's endpoint, else the model of Workers AI where that is bound, else the built-in one.
 */
export function managedModels(settings: EmbeddingSettings, deps: ModelDeps): ReadonlyMap<string, Open> {
  const { EMBEDDING_BASE_URL: api_base, EMBEDDING_MODEL: model_name, EMBEDDING_API_KEY: api_key } = settings;
  const { AI } = deps.bindings;
  const models = new Map<string, Open>();
  if (model_name === BUILTIN) models.set(BUILTIN, () => builtin);
  else if (api_base) {
    const endpoint = { api_base, model_name, ...(api_key && { api_key }) };
    models.set(`${model_name}@${api_base}`, (batching) => openai.open({ ...endpoint, ...batching }, deps));
  }
  if (AI) {
    models.set(WORKERS_AI_MODEL, ({ embed_batch_size, num_workers }) =>
      workersAiEmbedder(AI, { size: embed_batch_size ?? 10, workers: num_workers ?? 1 }, deps),
    );
  }
  return models.set(BUILTIN, () => builtin);
}

/** Throws Conflict when it is not one of this installation any more. */
export function openManaged(
  models: ReadonlyMap<string, Open>,
  name: string,
  component: Record<string, unknown>,
): Embedder {
  const open = models.get(name);
  if (open) {
    const { embed_batch_size, num_workers } = managed.settings.parse(component) as Batching;
    return open({ ...(embed_batch_size && { embed_batch_size }), ...(num_workers && { num_workers }) });
  }
  const message = `Its index was made with the embedding model ${name}, which this installation no longer has.`;
  throw new Conflict(message);
}
