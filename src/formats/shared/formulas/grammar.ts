import type { Expression, Operator } from './expression.ts';
import { type Dialect, type Token, tokenizeFormula } from './tokens.ts';
import { Uncomputable } from './values.ts';

const MAX_DEPTH = 64;
const PRECEDENCE: Record<Operator, number> = {
  '=': 1,
  '<>': 1,
  '<': 1,
  '>': 1,
  '<=': 1,
  '>=': 1,
  '&': 2,
  '+': 3,
  '-': 3,
  '*': 4,
  '/': 4,
  '^': 5,
};

/**
 * Parses a spreadsheet formula. Throws Uncomputable if the formula is invalid or nested more than 64 levels
 * deep.
 */
export function parseFormula(source: string, dialect: Dialect): Expression {
  return new FormulaReader(tokenizeFormula(source, dialect)).read();
}

class FormulaReader {
  readonly #tokens: Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  read(): Expression {
    const expression = this.#binary(0);
    if (this.#at < this.#tokens.length) throw new Uncomputable('its syntax is not supported');
    return expression;
  }

  #isMark(mark: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'mark' && token.mark === mark;
  }

  #take(mark: string): boolean {
    if (!this.#isMark(mark)) return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) throw new Uncomputable('its syntax is not supported');
  }

  #binary(least: number): Expression {
    if (++this.#depth > MAX_DEPTH) throw new Uncomputable('it is nested too deeply');
    let left = this.#signed();
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'operator' || PRECEDENCE[token.operator] <= least) break;
      this.#at++;
      left = {
        kind: 'binary',
        operator: token.operator,
        left,
        right: this.#binary(PRECEDENCE[token.operator]),
      };
    }
    this.#depth--;
    return left;
  }

  /** In spreadsheets a sign binds more tightly than a power, so -2^2 is 4. */
  #signed(): Expression {
    let negative = false;
    let signs = 0;
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'operator' || (token.operator !== '-' && token.operator !== '+')) break;
      if (token.operator === '-') negative = !negative;
      signs++;
      this.#at++;
    }
    let operand = this.#primary();
    while (this.#take('%')) operand = { kind: 'percent', operand };
    return signs > 0 ? { kind: 'sign', negative, operand } : operand;
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at++];
    if (token?.kind === 'literal' || token?.kind === 'area') return token;
    if (token?.kind === 'name') return { kind: 'name', name: token.name };
    if (token?.kind === 'function') return { kind: 'call', name: token.name, args: this.#arguments() };
    if (token?.kind === 'mark' && token.mark === '(') {
      const inner = this.#binary(0);
      this.#expect(')');
      return inner;
    }
    if (token?.kind === 'mark' && token.mark === '{') return this.#array();
    throw new Uncomputable('its syntax is not supported');
  }

  #arguments(): Expression[] {
    const args: Expression[] = [];
    if (this.#take(')')) return args;
    do args.push(this.#isMark(',') || this.#isMark(')') ? { kind: 'missing' } : this.#binary(0));
    while (this.#take(','));
    this.#expect(')');
    return args;
  }

  #array(): Expression {
    const rows: Expression[][] = [[]];
    for (;;) {
      rows[rows.length - 1]!.push(this.#signed());
      if (this.#take(';')) rows.push([]);
      else if (!this.#take(',')) break;
    }
    this.#expect('}');
    if (rows.some((row) => row.length !== rows[0]!.length))
      throw new Uncomputable('its syntax is not supported');
    return { kind: 'array', rows };
  }
}
