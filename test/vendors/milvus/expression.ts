// Evaluates filter expressions like the Milvus parser. Unknown syntax is rejected.

export type Entity = Record<string, unknown>;
type Test = (entity: Entity) => boolean;
type Read = (entity: Entity) => unknown;
type Literal = string | number | boolean;

export class WrongExpression extends Error {}

const TOKEN =
  /\s*(?:("(?:[^"\\\r\n]|\\(?:["'?abfnrtv\\]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(==|>=|<=|<|[()[\],]))/y;
const LARGEST_INTEGER = 2n ** 63n - 1n;

export function compileExpression(text: string, fields: Record<string, string>): Test {
  const parser = new Parser(text, fields);
  const test = parser.alternatives();
  if (!parser.isAtEnd) throw new WrongExpression(`cannot parse expression: ${text}`);
  return test;
}

class Parser {
  readonly #tokens: string[] = [];
  readonly #fields: Record<string, string>;
  #at = 0;

  constructor(given: string, fields: Record<string, string>) {
    this.#fields = fields;
    const text = withoutHan(given);
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const found = TOKEN.exec(text);
      if (!found) throw new WrongExpression(`token recognition error in ${text}`);
      this.#tokens.push(found[0].trim());
    }
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  alternatives(): Test {
    const tests = [this.#together()];
    while (this.#takes('or')) tests.push(this.#together());
    return (entity) => tests.some((test) => test(entity));
  }

  #together(): Test {
    const tests = [this.#one()];
    while (this.#takes('and')) tests.push(this.#one());
    return (entity) => tests.every((test) => test(entity));
  }

  #one(): Test {
    if (this.#takes('(')) {
      const test = this.alternatives();
      this.#expect(')');
      return test;
    }
    if (this.#takes('json_contains_any')) {
      this.#expect('(');
      const read = this.#path();
      this.#expect(',');
      const items = this.#list();
      this.#expect(')');
      return (entity) => {
        const held = read(entity);
        return Array.isArray(held) && held.some((each) => items.includes(each as Literal));
      };
    }
    const read = this.#path();
    if (this.#takes('in')) {
      const items = this.#list();
      return (entity) => items.includes(read(entity) as Literal);
    }
    const operator = this.#next();
    if (!['==', '>=', '<=', '<'].includes(operator)) throw new WrongExpression(`no operator: ${operator}`);
    const value = this.#literal();
    if (operator === '==') return (entity) => read(entity) === value;
    if (typeof value !== 'number') throw new WrongExpression(`${operator} of ${typeof value}`);
    return (entity) => {
      const held = read(entity);
      return typeof held === 'number' && compares(operator, held, value);
    };
  }

  #path(): Read {
    const name = this.#next();
    const type = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (!type) throw new WrongExpression(`field ${name} not exist`);
    if (type !== 'JSON') return (entity) => entity[name];
    this.#expect('[');
    const key = this.#literal();
    this.#expect(']');
    if (typeof key !== 'string') throw new WrongExpression('a path is of texts');
    return (entity) => {
      const held = entity[name] as Entity;
      return Object.hasOwn(held, key) ? held[key] : undefined;
    };
  }

  #list(): Literal[] {
    this.#expect('[');
    const items = [this.#literal()];
    while (this.#takes(',')) items.push(this.#literal());
    this.#expect(']');
    if (new Set(items.map((item) => typeof item)).size > 1) throw new WrongExpression('a list of one type');
    return items;
  }

  #literal(): Literal {
    const token = this.#next();
    if (token === 'true' || token === 'false') return token === 'true';
    if (token.startsWith('"')) return unquoted(token);
    if (!/^-?\d/.test(token)) throw new WrongExpression(`no literal: ${token}`);
    if (/^-?\d+$/.test(token) && BigInt(token.replace('-', '')) > LARGEST_INTEGER) {
      throw new WrongExpression(`value out of range: ${token}`);
    }
    return Number(token);
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new WrongExpression('unexpected end');
    return token;
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token: string): void {
    if (this.#next() !== token) throw new WrongExpression(`expected ${token}`);
  }
}

/**
 * Simulates a Milvus bug: without other escapes, Chinese characters become four-digit escapes even if they
 * need more digits.
 */
function withoutHan(text: string): string {
  if (/\\[^\\ntrf"']/.test(text.replaceAll('\\\\', ''))) return text;
  return text.replace(
    /\p{Script=Han}/gu,
    (character) => `\\u${(character.codePointAt(0)! & 0xffff).toString(16).padStart(4, '0')}`,
  );
}

function unquoted(token: string): string {
  const text = JSON.parse(
    token.replace(/(\\\\)|\\U([0-9a-fA-F]{8})/g, (whole, _, digits?: string) =>
      digits ? String.fromCodePoint(Number.parseInt(digits, 16)) : whole,
    ),
  ) as string;
  // Rejects surrogate escapes, even in valid pairs.
  if (/\\u[dD][89a-fA-F]/.test(token)) throw new WrongExpression(`invalid literal: ${token}`);
  return text;
}

function compares(operator: string, held: number, value: number): boolean {
  if (operator === '<') return held < value;
  return operator === '>=' ? held >= value : held <= value;
}
