import type { Settings } from '#src/env.ts';
import { Invalid } from '#src/errors.ts';
import { componentSchema, freeFormComponent } from '#src/lib/component.ts';
import { embeddingComponents } from './components.ts';
import type { Embedder, EmbedderDriver, EmbeddingConfig } from './embedder.ts';
import { managedEmbedder } from './managed.ts';
import { openaiCompatibleEmbedder } from './openai-compatible.ts';

const drivers = {
  PROVIDER_F_EMBEDDING: managedEmbedder,
  PROVIDER_G_EMBEDDING: openaiCompatibleEmbedder,
} satisfies Record<string, EmbedderDriver>;

export type AvailableEmbedding = keyof typeof drivers;

/** Rejects with Invalid when this installation cannot run the configured provider, or the component is free-form. */
export function openEmbedder(config: EmbeddingConfig, settings: Settings): Embedder {
  if (!(config.type in drivers)) {
    const available = Object.keys(drivers).join(', ');
    throw Invalid.field(
      ['embedding_config', 'type'],
      `${config.type} cannot be run by this installation; available: ${available}`,
    );
  }
  if (componentSchema(embeddingComponents, config.type, config.component) === freeFormComponent) {
    const msg = `the component has no field that ${config.type} knows, or lacks the required ones`;
    throw Invalid.field(['embedding_config', 'component'], msg);
  }
  return drivers[config.type as AvailableEmbedding](config.component, settings);
}
