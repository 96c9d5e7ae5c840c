import type { z } from 'zod';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { componentSchema, freeFormComponent } from '#src/lib/schema/component.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder, EmbeddingConfig } from '#src/ports/embedder.ts';
import { indexByKind } from '#src/ports/kind.ts';
import { azureOpenai } from './azure-openai.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import { gemini } from './gemini.ts';
import { huggingface } from './huggingface.ts';
import { managed } from './managed.ts';
import { openai } from './openai.ts';
import type { EmbedderDefinition, RunnableEmbedder } from './shared/definition.ts';
import { vertex } from './vertex.ts';

export const embedders = indexByKind([
  azureOpenai,
  bedrock,
  cohere,
  gemini,
  huggingface,
  managed,
  openai,
  vertex,
]);

type Definitions = typeof embedders;
export type EmbeddingType = keyof Definitions;

export const EMBEDDING_TYPES = Object.keys(embedders) as EmbeddingType[];
export const MANAGED_TYPE = managed.kind;

const definitions: readonly EmbedderDefinition<EmbeddingType>[] = Object.values(embedders);

/**
 * Schemas of the settings of each embedding model type. They are used to validate, describe and encrypt
 * components.
 */
export const embeddingComponents = Object.fromEntries(
  definitions.map(({ kind, settings }) => [kind, settings satisfies z.ZodObject]),
) as { [Type in EmbeddingType]: Definitions[Type]['settings'] };

/**
 * Returns the embedding model type that the `class_name` of a component names. An empty component has the
 * managed type. Returns `undefined` if the class is unknown.
 */
export function findEmbeddingType(component: Record<string, unknown> | undefined): EmbeddingType | undefined {
  if (component === undefined || Object.keys(component).length === 0) return MANAGED_TYPE;
  return definitions.find(({ className }) => className === component.class_name)?.kind;
}

/**
 * Opens an embedding model. Throws `Conflict` if this installation cannot use the model with the stored
 * settings, so that the settings have to be changed.
 */
export function openEmbedder(config: EmbeddingConfig, deps: ModelDeps): Embedder {
  const definition = requireRunnable(config);
  try {
    return definition.open(config.component, deps);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const wrong = error.issues.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`).join('; ');
    throw new Conflict(`The embedding_config of type ${config.type} cannot be used: ${wrong}.`);
  }
}

/**
 * Tests an embedding model config with one call and returns a description of the answer. Rejects with a
 * `DomainError` that says what is wrong.
 */
export function checkEmbedder(config: EmbeddingConfig, deps: ModelDeps): Promise<string> {
  return requireRunnable(config).check(config.component, deps);
}

const isRunnable = (each: EmbedderDefinition<EmbeddingType>): each is RunnableEmbedder<EmbeddingType> =>
  each.open !== undefined;

function requireRunnable({ type, component }: EmbeddingConfig): RunnableEmbedder<EmbeddingType> {
  const available = definitions.filter(isRunnable);
  const definition = available.find(({ kind }) => kind === type);
  if (!definition) {
    const kinds = available.map(({ kind }) => kind).join(', ');
    const message = `This installation cannot run embedding models of type ${type}. Supported types: ${kinds}.`;
    throw new Conflict(message);
  }
  if (componentSchema(embeddingComponents, type, component) === freeFormComponent) {
    const message = `The component of the embedding_config has no field of type ${type}, or lacks a required field.`;
    throw new Conflict(message);
  }
  return definition;
}
