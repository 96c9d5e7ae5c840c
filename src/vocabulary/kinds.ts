import { embedders } from '#src/models/embedding/registry.ts';
import type { KindDescription } from '#src/ports/kind.ts';
import { sinks } from '#src/sinks/registry.ts';
import { sources } from '#src/sources/registry.ts';

/** Every kind of data sink, data source and embedding model, with the names that existing clients use. */
export const kinds: readonly ({ kind: string } & KindDescription)[] = [
  ...Object.values(sinks),
  ...Object.values(sources),
  ...Object.values(embedders),
];

/** `class_name` of the components of each kind, unless their owner set another one. */
export const CLASS_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  kinds.map(({ kind, client }) => [kind, client.className]),
);

/** Returns the kind that a component names by its `class_name` alone, or `undefined` if no kind has that name. */
export const kindOfClass = (className: unknown): string | undefined =>
  kinds.find(({ client }) => client.className === className)?.kind;

/** Fields of the components of each kind that clients call otherwise: the name in the API to the name of clients. */
export const COMPONENT_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> =
  Object.fromEntries(kinds.flatMap(({ kind, client }) => (client.fields ? [[kind, client.fields]] : [])));
