import type { z } from 'zod';
import { Conflict, Invalid } from '#src/lib/errors.ts';
import { componentSchema, freeFormComponent } from '#src/lib/schema/component.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder, EmbeddingConfig } from '#src/ports/embedder.ts';
import { byKind } from '#src/ports/kind.ts';
import { azureOpenai } from './azure-openai.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import { gemini } from './gemini.ts';
import { huggingface } from './huggingface.ts';
import { managed } from './managed.ts';
import { openai } from './openai.ts';
import type { EmbedderDefinition, RunnableEmbedder } from './shared/definition.ts';
import { vertex } from './vertex.ts';

/** All providers of embedding models, one line each. */
export const embedders = byKind([azureOpenai, bedrock, cohere, gemini, huggingface, managed, openai, vertex]);

type Definitions = typeof embedders;
export type EmbeddingType = keyof Definitions;

export const EMBEDDING_TYPES = Object.keys(embedders) as EmbeddingType[];
export const MANAGED_TYPE = managed.kind;

const definitions: readonly EmbedderDefinition<EmbeddingType>[] = Object.values(embedders);

/** Schemas of the settings of each type, used to validate, describe and encrypt components. */
export const embeddingComponents = Object.fromEntries(
  definitions.map(({ kind, settings }) => [kind, settings satisfies z.ZodObject]),
) as { [Type in EmbeddingType]: Definitions[Type]['settings'] };

/** Returns the type of a component by its `class_name`; the managed type if it has none. */
export function embeddingTypeOf(component: Record<string, unknown> | undefined): EmbeddingType | undefined {
  if (component === undefined || Object.keys(component).length === 0) return MANAGED_TYPE;
  return definitions.find(({ className }) => className === component.class_name)?.kind;
}

/**
 * Opens an embedder. Throws Conflict if this installation cannot run the provider with these settings, so
 * that the stored configuration has to change.
 */
export function openEmbedder(config: EmbeddingConfig, deps: ModelDeps): Embedder {
  const definition = runnable(config);
  try {
    return definition.open(config.component, deps);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const wrong = error.issues.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`).join('; ');
    throw new Conflict(`The embedding config (${config.type}) cannot be used: ${wrong}.`);
  }
}

/** Tests a configuration and describes the answer. Rejects with a DomainError that says what is wrong. */
export function checkEmbedder(config: EmbeddingConfig, deps: ModelDeps): Promise<string> {
  return runnable(config).check(config.component, deps);
}

const isRunnable = (each: EmbedderDefinition<EmbeddingType>): each is RunnableEmbedder<EmbeddingType> =>
  each.open !== undefined;

function runnable({ type, component }: EmbeddingConfig): RunnableEmbedder<EmbeddingType> {
  const available = definitions.filter(isRunnable);
  const definition = available.find(({ kind }) => kind === type);
  if (!definition) {
    const kinds = available.map(({ kind }) => kind).join(', ');
    const message = `This installation cannot run embedding models of the type ${type}; it runs ${kinds}.`;
    throw new Conflict(message);
  }
  if (componentSchema(embeddingComponents, type, component) === freeFormComponent) {
    const message = `The component of the embedding config has no field that ${type} knows, or lacks the required ones.`;
    throw new Conflict(message);
  }
  return definition;
}
