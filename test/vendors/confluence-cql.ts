// Subset of the Confluence query language: terms of one field, combined and nested.

/** Values of each field of the tested item. */
export type Fields = Record<string, string[]>;
type Test = (fields: Fields) => boolean;

export class WrongQuery extends Error {}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([(),]|!=|[=~])|([^\s(),=~!"']+))/y;
const OPERATORS = new Set(['=', '~', '!=', 'in']);

function splitQuery(query: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.trimEnd().length) {
    const found = TOKEN.exec(query);
    if (!found) throw new WrongQuery('no such sign');
    tokens.push(found[1] ?? found[2] ?? found[3]!);
  }
  return tokens;
}

/** Compiles a query. Throws WrongQuery. */
export function parsedQuery(query: string, known: readonly string[]): Test {
  const tokens = splitQuery(query);
  let at = 0;
  const is = (word: string) => tokens[at]?.toLowerCase() === word;
  const take = (word?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (word !== undefined && token.toLowerCase() !== word)) {
      throw new WrongQuery(`expected ${word ?? 'more'}`);
    }
    return token;
  };
  const literal = () => {
    const token = take();
    return /^["']/.test(token) ? token.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : token;
  };
  const term = (): Test => {
    if (is('(')) {
      take();
      const inner = either();
      take(')');
      return inner;
    }
    const field = take().toLowerCase();
    const operator = take().toLowerCase();
    if (!known.includes(field) || !OPERATORS.has(operator)) throw new WrongQuery(`no field ${field}`);
    const values: string[] = [];
    if (operator === 'in') {
      do {
        take(values.length === 0 ? '(' : ',');
        values.push(literal());
      } while (!is(')'));
      take();
    } else values.push(literal());
    const fits = (value: string, wanted: string) =>
      operator === '~' ? value.toLowerCase().includes(wanted.toLowerCase()) : value === wanted;
    const isThere: Test = (fields) =>
      (fields[field] ?? []).some((value) => values.some((each) => fits(value, each)));
    return operator === '!=' ? (fields) => !isThere(fields) : isThere;
  };
  const joined = (word: string, next: () => Test, join: (tests: Test[]) => Test) => () => {
    const tests = [next()];
    while (is(word)) {
      take();
      tests.push(next());
    }
    return join(tests);
  };
  const all = joined('and', term, (tests) => (fields) => tests.every((test) => test(fields)));
  const either = joined('or', all, (tests) => (fields) => tests.some((test) => test(fields)));
  const test = either();
  if (is('order')) {
    take();
    take('by');
    if (take().toLowerCase() !== 'created') throw new WrongQuery('no such order');
  }
  if (at < tokens.length) throw new WrongQuery('more than a query');
  return test;
}
