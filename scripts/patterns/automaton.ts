import type { Node } from './syntax.ts';

/**
 * What has to be so between two characters for a match to go on from one to the other. `<=[a]` and `<![a]` speak of
 * the character before, `>=[a]` and `>![a]` of the one after.
 */
export type Assertion = '^' | '$' | '\\b' | '\\B' | 'look' | `${'<' | '>'}${'=' | '!'}${string}`;

/** From a place in the pattern to another one; `to` is undefined at the pattern's end. */
export interface Step {
  to: number | undefined;
  asserted: readonly Assertion[];
}

/** Places are the pattern's characters in order; the last one stands for what is skipped before a match. */
export interface Automaton {
  /** Of each place, what it matches, as source. */
  classes: string[];
  steps: Step[][];
  /** What single characters are asserted, as source. */
  asserted: Set<string>;
  /** The place of the skipped text; a match that begins where it is told to has none. */
  skipped: number;
}

/** Of what is repeated a bounded number of times, so many copies stand for all. */
const MOST_COPIES = 2;

interface Piece {
  first: Step[];
  last: Step[];
  /** The assertions under which nothing matches. */
  empty: Assertion[][];
}

const EMPTY: Piece = { first: [], last: [], empty: [[]] };
const MOST_WAYS = 24;

/** Glushkov's automaton of a pattern: no place is left without a character. */
export class Builder {
  readonly automaton: Automaton = { classes: [], steps: [], asserted: new Set(), skipped: -1 };
  readonly bodies: Node[] = [];
  /** From how many repetitions on a bounded repetition counts as one without end. */
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
    // One inside the other, so that a text is divided among the copies in one way.
    let joined = EMPTY;
    for (let copy = Math.min(most, MOST_COPIES) - 1; copy >= 0; copy -= 1) {
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

const through = (ways: Assertion[][], steps: Step[]): Step[] =>
  ways.flatMap((way) => steps.map(({ to, asserted }) => ({ to, asserted: [...way, ...asserted] })));

function distinct(ways: Assertion[][]): Assertion[][] {
  const byName = new Map(ways.map((way) => [...new Set(way)].toSorted()).map((way) => [way.join(), way]));
  // Nothing asserted allows all that the others do.
  return byName.has('') ? [[]] : [...byName.values()].slice(0, MOST_WAYS);
}
