import { Refused } from './refused.ts';

// Evaluates OData filters of Azure AI Search: comparisons with `and`, `or` and `not`, `any` over text lists,
// and `search.in`. Fields must be filterable and of the compared type.

export type Document = Record<string, unknown>;
export interface Field {
  name: string;
  type: string;
  filterable?: boolean;
  sortable?: boolean;
  searchable?: boolean;
  retrievable?: boolean;
  analyzer?: string;
  key?: boolean;
  dimensions?: number;
}
type Test = (document: Document) => boolean;
interface Token {
  kind: 'text' | 'number' | 'word' | 'sign';
  text: string;
}

const TOKEN =
  /\s*(?:'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|([(),:/]))/y;
const COMPARED: Record<string, (one: never, other: never) => boolean> = {
  eq: (one, other) => one === other,
  ge: (one, other) => one >= other,
  le: (one, other) => one <= other,
  gt: (one, other) => one > other,
  lt: (one, other) => one < other,
};

function splitIntoTokens(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (const end = text.trimEnd().length; TOKEN.lastIndex < end; ) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new Refused(`Invalid expression: Syntax error at position ${at} in '${text}'.`);
    const [, quoted, number, word, sign] = found;
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'sign', text: sign! });
  }
  return tokens;
}

/** Compiles a filter. Throws if the vendor would reject it. */
export function compileODataFilter(text: string, fields: Field[]): Test {
  const tokens = splitIntoTokens(text);
  /** Types of the variables of `any`. */
  const variables = new Map<string, string>();

  const fail = (): never => {
    throw new Refused(`Invalid expression near '${tokens[0]?.text ?? 'its end'}': ${text}`);
  };
  const take = (expected?: string): string => {
    const token = tokens.shift();
    if (!token || (expected !== undefined && (token.text !== expected || token.kind === 'text')))
      return fail();
    return token.text;
  };
  const isNext = (word: string) => tokens[0]?.text === word && tokens[0].kind !== 'text';

  function either(): Test {
    const parts = [both()];
    while (isNext('or')) {
      take();
      parts.push(both());
    }
    return (document) => parts.some((part) => part(document));
  }
  function both(): Test {
    const parts = [one()];
    while (isNext('and')) {
      take();
      parts.push(one());
    }
    return (document) => parts.every((part) => part(document));
  }
  function one(): Test {
    if (isNext('not')) {
      take();
      const inner = one();
      return (document) => !inner(document);
    }
    if (isNext('(')) {
      take();
      const inner = either();
      take(')');
      return inner;
    }
    if (isNext('search.in')) return among();
    return comparison();
  }
  function findFieldType(name: string): string {
    const variable = variables.get(name);
    if (variable) return variable;
    const field = fields.find((each) => each.name === name);
    if (!field) throw new Refused(`Could not find a property named '${name}'.`);
    if (!field.filterable) throw new Refused(`'${name}' is not a filterable field.`);
    return field.type;
  }
  function comparison(): Test {
    if (tokens[0]?.kind !== 'word') return fail();
    const name = take();
    const type = findFieldType(name);
    if (isNext('/')) return any(name, type);
    const compare = COMPARED[take()] ?? fail();
    const literal = readLiteral(type);
    return (document) => {
      const value = document[name];
      return value !== null && value !== undefined && compare(value as never, literal as never);
    };
  }
  function readLiteral(type: string): string | number | boolean {
    const token = tokens.shift() ?? fail();
    if (type === 'Edm.String' && token.kind === 'text') return token.text;
    if (type === 'Edm.Boolean' && (token.text === 'true' || token.text === 'false'))
      return token.text === 'true';
    const isNumber = ['Edm.Int32', 'Edm.Int64', 'Edm.Double'].includes(type);
    if (isNumber && token.kind === 'number') return Number(token.text);
    throw new Refused(`A binary operator with incompatible types was detected: ${type} and '${token.text}'.`);
  }
  function any(name: string, type: string): Test {
    const inner = /^Collection\((.+)\)$/.exec(type)?.[1] ?? fail();
    take('/');
    take('any');
    take('(');
    const variable = take();
    take(':');
    variables.set(variable, inner);
    const test = either();
    variables.delete(variable);
    take(')');
    return (document) => ((document[name] ?? []) as unknown[]).some((value) => test({ [variable]: value }));
  }
  function among(): Test {
    take('search.in');
    take('(');
    const name = take();
    if (findFieldType(name) !== 'Edm.String') throw new Refused(`search.in needs a string: ${name}`);
    take(',');
    const list = readLiteral('Edm.String') as string;
    let delimiters = ' ,';
    if (isNext(',')) {
      take();
      delimiters = readLiteral('Edm.String') as string;
    }
    take(')');
    const values = new Set<string>();
    let value = '';
    for (const char of list) {
      if (delimiters.includes(char)) {
        values.add(value);
        value = '';
      } else value += char;
    }
    values.add(value);
    return (document) => values.has(document[name] as string);
  }

  const test = either();
  if (tokens.length > 0) fail();
  return test;
}
