import { RENAMED_FIELDS } from '#src/vocabulary/fields.ts';
import { COMPONENT_FIELDS } from '#src/vocabulary/kinds.ts';
import { translateText } from '#src/vocabulary/translate-text.ts';
import { toClientWord } from '#src/vocabulary/words.ts';

type Node = Record<string, unknown>;
type Names = ReadonlyMap<string, string>;

/** Fields of an OpenAPI schema or operation that contain prose. */
const TEXTS = ['title', 'description', 'summary'];

/** Returns the OpenAPI description with the names that clients of LlamaCloud use. */
export function describeInClientWords(description: object): object {
  return translateNode(description) as object;
}

function translateNode(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(translateNode);
  if (!isNode(node)) return node;
  const translated = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, translateNode(value)]),
  );
  for (const name of TEXTS)
    if (typeof translated[name] === 'string') translated[name] = translateText(translated[name]);
  if (Array.isArray(translated.enum)) translated.enum = translated.enum.map(translateWord);
  translated.const = translateWord(translated.const);
  translated.default = translateWord(translated.default);
  if (isNode(translated.properties)) {
    const names = collectNames(node.title, translated.properties);
    translated.properties = Object.fromEntries(
      Object.entries(translated.properties).map(([name, value]) => [names.get(name) ?? name, value]),
    );
    if (Array.isArray(translated.required))
      translated.required = translated.required.map((name) => names.get(name as string) ?? name);
  }
  return Object.fromEntries(Object.entries(translated).filter(([, value]) => value !== undefined));
}

/**
 * Collects the clients' names for the properties of a schema. For the settings of a component, the title of
 * the schema is the component type.
 */
function collectNames(title: unknown, properties: Node): Names {
  const declares = (name: string) => Object.hasOwn(properties, name);
  const ofKind = typeof title === 'string' && Object.hasOwn(COMPONENT_FIELDS, title);
  return new Map([
    ...RENAMED_FIELDS.filter(
      ({ neutral, onlyWith: beside }) => declares(neutral) && (!beside || declares(beside)),
    ).map(({ neutral, client }) => [neutral, client] as const),
    ...(ofKind ? Object.entries(COMPONENT_FIELDS[title]!) : []),
  ]);
}

const translateWord = (word: unknown) => (typeof word === 'string' ? toClientWord(word) : word);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
