/** Syntax tree of a regular expression, reduced to what affects the duration of a search. */
export type Node =
  | { kind: 'character'; source: string }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'either'; options: Node[] }
  | { kind: 'repeat'; what: Node; least: number; most: number }
  | { kind: 'assertion'; sign: '^' | '$' | '\\b' | '\\B' }
  /** Look-around for one character before or after a position. */
  | { kind: 'near'; sign: '<' | '>'; isWanted: boolean; source: string }
  /**
   * Any other lookaround, or a back-reference. The analysis assumes that its condition may hold or not.
   * `body` is analysed separately.
   */
  | { kind: 'look'; body?: Node };

/** Parses the source of a valid regular expression. */
export function parsePattern(source: string, flags: string): Node {
  return new Reader(source, flags).whole();
}

const ESCAPE =
  /\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|[\s\S])/y;
const COUNT = /\{(\d+)(,(\d*))?\}/y;
const GROUP = /\((?:\?(?:<?[=!]|:|<[^>=!]+>))?/y;

class Reader {
  readonly #source: string;
  readonly #isByCodePoint: boolean;
  readonly #hasSets: boolean;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#isByCodePoint = /[uv]/.test(flags);
    this.#hasSets = flags.includes('v');
  }

  whole(): Node {
    const options: Node[] = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      options.push(this.#sequence());
    }
    return options.length === 1 ? options[0]! : { kind: 'either', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!)) {
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'sequence', parts };
  }

  #repeated(what: Node): Node {
    const sign = this.#source[this.#at] ?? '';
    let [least, most] = [1, 1];
    const count = this.#match(COUNT);
    if (count) {
      least = Number(count[1]);
      most = count[2] === undefined ? least : count[3] === '' ? Infinity : Number(count[3]);
    } else if ('*+?'.includes(sign) && sign !== '') {
      this.#at += 1;
      least = sign === '+' ? 1 : 0;
      most = sign === '?' ? 1 : Infinity;
    } else return what;
    if (this.#source[this.#at] === '?') this.#at += 1;
    return { kind: 'repeat', what, least, most };
  }

  #atom(): Node {
    const sign = this.#source[this.#at]!;
    if (sign === '(') return this.#group();
    if (sign === '[') return { kind: 'character', source: this.#class() };
    if (sign === '^' || sign === '$') {
      this.#at += 1;
      return { kind: 'assertion', sign };
    }
    if (sign === '\\') {
      const escaped = this.#match(ESCAPE)![0];
      if (escaped === '\\b' || escaped === '\\B') return { kind: 'assertion', sign: escaped };
      return /^\\(?:k<|[1-9])/.test(escaped) ? { kind: 'look' } : { kind: 'character', source: escaped };
    }
    const character = this.#isByCodePoint ? String.fromCodePoint(this.#source.codePointAt(this.#at)!) : sign;
    this.#at += character.length;
    return { kind: 'character', source: character };
  }

  #group(): Node {
    const [open] = this.#match(GROUP)!;
    const body = this.whole();
    this.#at += 1;
    if (!/[=!]$/.test(open)) return body;
    const only = body.kind === 'sequence' && body.parts.length === 1 ? body.parts[0]! : body;
    if (only.kind !== 'character') return { kind: 'look', body };
    const sign = open.includes('<') ? '<' : '>';
    return { kind: 'near', sign, isWanted: open.endsWith('='), source: only.source };
  }

  #class(): string {
    const start = this.#at;
    let depth = 0;
    do {
      const sign = this.#source[this.#at]!;
      if (sign === '\\') this.#at += 1;
      else if (sign === '[' && (depth === 0 || this.#hasSets)) depth += 1;
      else if (sign === ']') depth -= 1;
      this.#at += 1;
    } while (depth > 0);
    return this.#source.slice(start, this.#at);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
