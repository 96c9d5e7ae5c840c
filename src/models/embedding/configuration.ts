import { z } from 'zod';
import { type Component, componentInput, parseComponent } from '#src/lib/component.ts';
import { parseInput } from '#src/lib/zod-issues.ts';
import type { EmbeddingType } from './definition.ts';
import { EMBEDDING_TYPES, embeddingComponents, embeddingTypeOf } from './registry.ts';

type Loc = (string | number)[];

/** As it comes in: the type selects the component's shape, which `parseEmbeddingConfig` checks. */
export const embeddingConfig = z.object({
  type: z.enum(EMBEDDING_TYPES).nullish(),
  component: componentInput(embeddingComponents).nullish(),
});

/** What names an embedding model: its type and the settings of that type. */
export interface ParsedEmbeddingConfig {
  type?: EmbeddingType;
  component?: Component;
}

/**
 * Checks an embedding configuration and fills defaults. A missing type is told by the component's
 * `class_name`; without that the component stays free-form. Nothing at all is the managed default.
 */
export function parseEmbeddingConfig(
  value: unknown,
  loc: Loc = ['body', 'embedding_config'],
): ParsedEmbeddingConfig {
  const { type: named, component } = parseInput(embeddingConfig, value, loc);
  const type = named ?? embeddingTypeOf(component ?? undefined);
  if (type === undefined) return component ? { component } : {};
  return {
    type,
    component: parseComponent(embeddingComponents, type, component ?? {}, [...loc, 'component']).component,
  };
}
