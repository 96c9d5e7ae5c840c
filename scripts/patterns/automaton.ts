import type { Node } from './syntax.ts';

/**
 * Condition on the place between two characters. `<=[a]` and `<![a]` refer to the character before the place,
 * `>=[a]` and `>![a]` to the character after.
 */
export type Assertion = '^' | '$' | '\\b' | '\\B' | 'look' | `${'<' | '>'}${'=' | '!'}${string}`;

/** Transition to another position of the pattern. `to` is `undefined` at the end of the pattern. */
export interface Step {
  to: number | undefined;
  asserted: readonly Assertion[];
}

/**
 * Automaton whose positions are the characters of the pattern in order. The last position stands for text
 * that is skipped before a match.
 */
export interface Automaton {
  /** Source text of the character class at each position of the pattern. */
  classes: string[];
  steps: Step[][];
  /** Sources of the character classes used in one-character lookarounds. */
  asserted: Set<string>;
  /**
   * Position that stands for text skipped before a match. It has no transitions if a match must begin at a
   * given offset.
   */
  skipped: number;
}

/** Maximum number of copies that represent a bounded repetition, such as `a{2,9}`, in the automaton. */
const MAX_COPIES = 2;

interface Piece {
  first: Step[];
  last: Step[];
  /** Alternative lists of assertions under which the piece matches the empty text. */
  empty: Assertion[][];
}

const EMPTY: Piece = { first: [], last: [], empty: [[]] };
const MAX_ALTERNATIVES = 24;

/** Builds Glushkov's automaton of a pattern, in which every position stands for a character. */
export class Builder {
  readonly automaton: Automaton = { classes: [], steps: [], asserted: new Set(), skipped: -1 };
  readonly bodies: Node[] = [];
  /** Maximum count from which a bounded repetition is treated as unbounded. */
  readonly #endless: number;

  constructor(endless: number) {
    this.#endless = endless;
  }

  build(node: Node): Automaton {
    const { classes, steps } = this.automaton;
    const piece = this.#piece(node);
    for (const { to, asserted } of piece.last) steps[to!]!.push({ to: undefined, asserted });
    const skipped = classes.push('[^]') - 1;
    steps.push([{ to: skipped, asserted: [] }, ...piece.first]);
    this.automaton.skipped = skipped;
    return this.automaton;
  }

  #piece(node: Node): Piece {
    switch (node.kind) {
      case 'character': {
        const to = this.automaton.classes.push(node.source) - 1;
        this.automaton.steps.push([]);
        const step = [{ to, asserted: [] }];
        return { first: step, last: step, empty: [] };
      }
      case 'assertion':
        return { ...EMPTY, empty: [[node.sign]] };
      case 'near':
        this.automaton.asserted.add(node.source);
        return { ...EMPTY, empty: [[`${node.sign}${node.isWanted ? '=' : '!'}${node.source}`]] };
      case 'look':
        if (node.body) this.bodies.push(node.body);
        return { ...EMPTY, empty: [['look']] };
      case 'sequence':
        return node.parts.reduce<Piece>((before, part) => this.#join(before, this.#piece(part)), EMPTY);
      case 'either': {
        const pieces = node.options.map((option) => this.#piece(option));
        return {
          first: pieces.flatMap(({ first }) => first),
          last: pieces.flatMap(({ last }) => last),
          empty: distinct(pieces.flatMap(({ empty }) => empty)),
        };
      }
      case 'repeat':
        return this.#repeat(node);
    }
  }

  #repeat({ what, least, most }: Node & { kind: 'repeat' }): Piece {
    if (most === 0) return EMPTY;
    const isEndless = most === Infinity || most >= this.#endless;
    if (isEndless) {
      const piece = this.#piece(what);
      this.#connect(piece.last, piece.first);
      const looped = least === 0 ? { ...piece, empty: [[]] } : piece;
      return least > 1 ? this.#join(this.#piece(what), looped) : looped;
    }
    // Optional copies are nested, as in `(a(a)?)?`, so that a text can match them in only one way.
    let joined = EMPTY;
    for (let copy = Math.min(most, MAX_COPIES) - 1; copy >= 0; copy -= 1) {
      joined = this.#join(this.#piece(what), joined);
      if (copy >= least) joined = { ...joined, empty: [[]] };
    }
    return joined;
  }

  #join(before: Piece, after: Piece): Piece {
    this.#connect(before.last, after.first);
    return {
      first: [...before.first, ...through(before.empty, after.first)],
      last: [...after.last, ...through(after.empty, before.last)],
      empty: distinct(before.empty.flatMap((one) => after.empty.map((other) => [...one, ...other]))),
    };
  }

  #connect(last: Step[], first: Step[]): void {
    for (const from of last) {
      for (const { to, asserted } of first) {
        this.automaton.steps[from.to!]!.push({ to, asserted: [...from.asserted, ...asserted] });
      }
    }
  }
}

const through = (alternatives: Assertion[][], steps: Step[]): Step[] =>
  alternatives.flatMap((alternative) =>
    steps.map(({ to, asserted }) => ({ to, asserted: [...alternative, ...asserted] })),
  );

function distinct(alternatives: Assertion[][]): Assertion[][] {
  const byName = new Map(
    alternatives
      .map((alternative) => [...new Set(alternative)].toSorted())
      .map((alternative) => [alternative.join(), alternative]),
  );
  // An alternative without assertions always holds, so the other alternatives are not needed.
  return byName.has('') ? [[]] : [...byName.values()].slice(0, MAX_ALTERNATIVES);
}
