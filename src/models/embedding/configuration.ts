import { type Component, parseComponent } from '#src/lib/component.ts';
import { parseInput } from '#src/lib/zod-issues.ts';
import { EMBEDDING_TYPES, type EmbeddingType, embeddingComponents, embeddingConfig } from './components.ts';

type Loc = (string | number)[];

/** What names an embedding model: its type and the settings of that type. */
export interface EmbeddingConfig {
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
): EmbeddingConfig {
  const { type: named, component } = parseInput(embeddingConfig, value, loc);
  const type = named ?? embeddingTypeOf(component ?? undefined);
  if (type === undefined) return component ? { component } : {};
  return {
    type,
    component: parseComponent(embeddingComponents, type, component ?? {}, [...loc, 'component']).component,
  };
}

/** The type that a component without one tells by its `class_name`. */
export function embeddingTypeOf(component: Component | undefined): EmbeddingType | undefined {
  if (component === undefined || Object.keys(component).length === 0) return 'PROVIDER_F_EMBEDDING';
  return EMBEDDING_TYPES.find(
    (type) => embeddingComponents[type].shape.class_name.parse(undefined) === component.class_name,
  );
}
