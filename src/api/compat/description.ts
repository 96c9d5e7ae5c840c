import { FIELDS } from '#src/vocabulary/fields.ts';
import { WORDS } from '#src/vocabulary/words.ts';

type Node = Record<string, unknown>;

/** The description with the words and names of members that clients know, wherever a schema declares them. */
export function describeInClientWords(description: object): object {
  return inClientWords(description) as object;
}

function inClientWords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(inClientWords);
  if (typeof node !== 'object' || node === null) return node;
  const told = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, inClientWords(value)]),
  ) as Node;
  if (Array.isArray(told.enum)) told.enum = told.enum.map(wordOf);
  if (typeof told.const === 'string') told.const = wordOf(told.const);
  if (typeof told.default === 'string') told.default = wordOf(told.default);
  if (isNode(told.properties)) {
    const names = namesOf(told.properties);
    told.properties = Object.fromEntries(
      Object.entries(told.properties).map(([name, value]) => [names.get(name) ?? name, value]),
    );
    if (Array.isArray(told.required))
      told.required = told.required.map((name) => names.get(name as string) ?? name);
  }
  return told;
}

function namesOf(properties: Node): Map<string, string> {
  const declares = (name: string) => Object.hasOwn(properties, name);
  return new Map(
    FIELDS.filter(({ neutral, beside }) => declares(neutral) && (!beside || declares(beside))).map(
      ({ neutral, client }) => [neutral, client],
    ),
  );
}

const wordOf = (word: unknown) =>
  typeof word === 'string' && Object.hasOwn(WORDS, word) ? WORDS[word] : word;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
