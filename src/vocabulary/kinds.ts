import { embedders } from '#src/models/embedding/registry.ts';
import type { KindDescription } from '#src/ports/kind.ts';
import { sinks } from '#src/sinks/registry.ts';
import { sources } from '#src/sources/registry.ts';

/** All types of data sinks, data sources and embedding models, with the names that LlamaCloud clients use. */
export const kinds: readonly ({ kind: string } & KindDescription)[] = [
  ...Object.values(sinks),
  ...Object.values(sources),
  ...Object.values(embedders),
];

/** Default `class_name` of components, by type. */
export const CLASS_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  kinds.map(({ kind, client }) => [kind, client.className]),
);

/** Returns the component type with this `class_name`, or `undefined` if no type has that class name. */
export const getKindByClassName = (className: unknown): string | undefined =>
  kinds.find(({ client }) => client.className === className)?.kind;

/**
 * Component fields that LlamaCloud clients know under another name, by component type. Each entry maps the
 * name in the API to the name that clients use.
 */
export const COMPONENT_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> =
  Object.fromEntries(kinds.flatMap(({ kind, client }) => (client.fields ? [[kind, client.fields]] : [])));
