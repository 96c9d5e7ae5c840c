/** Names that LlamaCloud clients use for a type of data source, data sink or embedding model. */
export interface ClientNames {
  /** Name of the type in client requests, such as a value of `sink_type`. */
  word: string;
  /** Value of the field `class_name` in components of this type. */
  className: string;
  /**
   * Component fields that LlamaCloud clients call by another name. Keys are the names in this API, and values
   * are the clients' names.
   */
  fields?: Readonly<Record<string, string>>;
}

export interface KindDescription {
  /** Title that the console shows. It does not contain a vendor's name. */
  title: string;
  client: ClientNames;
}

export function indexByKind<const Definitions extends readonly { kind: string }[]>(definitions: Definitions) {
  return Object.fromEntries(definitions.map((definition) => [definition.kind, definition])) as {
    [Definition in Definitions[number] as Definition['kind']]: Definition;
  };
}
