/** Names by which clients of the hosted original know a kind. */
export interface ClientNames {
  /** Word for the kind, such as the value of `sink_type`. */
  word: string;
  /** Value of `class_name` in components of the kind. */
  className: string;
  /** Component fields that have another name in those clients, keyed by the name that this API uses. */
  fields?: Readonly<Record<string, string>>;
}

/** Titles and names of a kind, as its definition states them. */
export interface KindDescription {
  /** Title for people. It names no vendor. */
  title: string;
  client: ClientNames;
}

/** Returns the definitions keyed by their kind, in the order of the list. */
export function byKind<const Definitions extends readonly { kind: string }[]>(definitions: Definitions) {
  return Object.fromEntries(definitions.map((definition) => [definition.kind, definition])) as {
    [Definition in Definitions[number] as Definition['kind']]: Definition;
  };
}
