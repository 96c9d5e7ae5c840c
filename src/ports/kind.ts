/** How clients of the hosted original name a kind. */
export interface ClientNames {
  /** Word for the kind, such as the value of `sink_type`. */
  word: string;
  /** Value of `class_name` in components of the kind. */
  className: string;
  /** Names of fields of the component that differ, by the name that the API uses. */
  fields?: Readonly<Record<string, string>>;
}

/** What the definition of a kind says about the kind, for people and for existing clients. */
export interface KindDescription {
  /** What people call the kind, in words that name no vendor. */
  title: string;
  client: ClientNames;
}

/** Returns the definitions by their kind, in the order of the list. */
export function byKind<const Definitions extends readonly { kind: string }[]>(definitions: Definitions) {
  return Object.fromEntries(definitions.map((definition) => [definition.kind, definition])) as {
    [Definition in Definitions[number] as Definition['kind']]: Definition;
  };
}
