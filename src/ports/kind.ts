/** Names that clients of the hosted original use for a kind of data source, data sink or embedding model. */
export interface ClientNames {
  /** Word for the kind, such as a value of `sink_type`. */
  word: string;
  /** Value of `class_name` in components of the kind. */
  className: string;
  /** Component fields that have another name in those clients. The keys are the names that this API uses. */
  fields?: Readonly<Record<string, string>>;
}

/** Title of a kind and its names for clients. */
export interface KindDescription {
  /** Title that people see. It names no vendor. */
  title: string;
  client: ClientNames;
}

export function indexByKind<const Definitions extends readonly { kind: string }[]>(definitions: Definitions) {
  return Object.fromEntries(definitions.map((definition) => [definition.kind, definition])) as {
    [Definition in Definitions[number] as Definition['kind']]: Definition;
  };
}
