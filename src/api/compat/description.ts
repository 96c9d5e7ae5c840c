import { FIELDS } from '#src/vocabulary/fields.ts';
import { COMPONENT_FIELDS } from '#src/vocabulary/kinds.ts';
import { tell } from '#src/vocabulary/tell.ts';
import { wordForClient } from '#src/vocabulary/words.ts';

type Node = Record<string, unknown>;
type Names = ReadonlyMap<string, string>;

/** Members of a schema or an operation that contain prose. */
const TEXTS = ['title', 'description', 'summary'];

/** Returns the OpenAPI description with the names that clients of the original use. */
export function describeInClientWords(description: object): object {
  return inClientWords(description) as object;
}

function inClientWords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inClientWords);
  if (!isNode(node)) return node;
  const told = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inClientWords(value)]));
  for (const name of TEXTS) if (typeof told[name] === 'string') told[name] = tell(told[name]);
  if (Array.isArray(told.enum)) told.enum = told.enum.map(wordOf);
  told.const = wordOf(told.const);
  told.default = wordOf(told.default);
  if (isNode(told.properties)) {
    const names = namesOf(node.title, told.properties);
    told.properties = Object.fromEntries(
      Object.entries(told.properties).map(([name, value]) => [names.get(name) ?? name, value]),
    );
    if (Array.isArray(told.required))
      told.required = told.required.map((name) => names.get(name as string) ?? name);
  }
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

/** The title of a component's schema is its kind. */
function namesOf(title: unknown, properties: Node): Names {
  const declares = (name: string) => Object.hasOwn(properties, name);
  const ofKind = typeof title === 'string' && Object.hasOwn(COMPONENT_FIELDS, title);
  return new Map([
    ...FIELDS.filter(({ neutral, beside }) => declares(neutral) && (!beside || declares(beside))).map(
      ({ neutral, client }) => [neutral, client] as const,
    ),
    ...(ofKind ? Object.entries(COMPONENT_FIELDS[title]!) : []),
  ]);
}

const wordOf = (word: unknown) => (typeof word === 'string' ? wordForClient(word) : word);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
