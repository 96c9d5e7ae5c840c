import { type Automaton, Builder, type Step } from './automaton.ts';
import { type Node, parsePattern } from './syntax.ts';

/**
 * Reason why a regular expression search takes more than linear time. Examples are `a*a*` (polynomial), `a+b`
 * searched at every offset (quadratic search) and `(a+)+` (exponential).
 */
export type Danger = 'polynomial' | 'quadratic search' | 'exponential';

/**
 * Bounded repetitions with at least this maximum are treated as unbounded in the search for exponential
 * growth.
 */
const MANY_REPETITIONS = 10;
/** Maximum number of state pairs and triples to visit before a pattern is rejected as too complicated. */
const MAX_VISITS = 3_000_000;
const SOME_OF_EACH = 'éÉßıſKñЖжאعक数あア가٠०0²½Ⅷ́​   –—’“”…•€°©ﬁ\u{1f469}\u{1d7d8}\ud800\ufffe';

/** Returns the worst danger of a pattern. Returns `undefined` if it takes linear time on any text. */
export function findDanger(source: string, flags: string): Danger | undefined {
  if (!/[*+]|\{\d+,/.test(source)) return undefined;
  const node = parsePattern(source, flags);
  return (
    findDangerWith(node, flags, MANY_REPETITIONS, (search) => search.isExponential() && 'exponential') ??
    findDangerWith(node, flags, Infinity, (search) => search.polynomial())
  );
}

function findDangerWith(
  node: Node,
  flags: string,
  endless: number,
  judge: (search: Search) => Danger | false | undefined,
): Danger | undefined {
  const builder = new Builder(endless);
  const automaton = builder.build(node);
  const danger = judge(new Search(automaton, flags));
  if (danger) return danger;
  for (const body of builder.bodies) {
    // The body of a look-around is searched at every offset.
    const inside = findDangerWith(body, flags.replace('y', ''), endless, judge);
    if (inside) return inside;
  }
  return undefined;
}

/**
 * Graph of the states of a regular expression search. A state combines a position of the pattern with the
 * kind of the last character. Characters that the pattern does not distinguish are of the same kind.
 */
class Search {
  readonly #next: Map<number, number[]>[] = [];
  readonly #kinds: number;
  readonly #isEnd: boolean[] = [];
  readonly #skipped: number;
  readonly #components: number[];
  #visits = 0;

  constructor({ classes, steps, skipped, asserted: near }: Automaton, flags: string) {
    const kinds = groupCharacters(classes, [...near], flags);
    this.#kinds = kinds.length;
    this.#skipped = skipped;
    for (const [place, outgoing] of steps.entries()) {
      for (const from of kinds) {
        const next = new Map<number, number[]>();
        this.#next.push(next);
        if (!from.places.has(place)) {
          this.#isEnd.push(false);
          continue;
        }
        this.#isEnd.push(outgoing.some(({ to, asserted }) => to === undefined && asserted.length === 0));
        for (const [kind, to] of kinds.entries()) {
          const allowed = outgoing.filter((step) => step.to !== undefined && to.places.has(step.to));
          const reached = allowed.filter((step) => mayHold(step, from, to, flags));
          // Two transitions to the same position are both kept, because they are two ways to match.
          if (reached.length > 0)
            next.set(
              kind,
              reached.map((step) => step.to! * kinds.length + kind),
            );
        }
      }
    }
    if (flags.includes('y')) {
      for (let kind = 0; kind < this.#kinds; kind += 1) this.#next[skipped * this.#kinds + kind] = new Map();
    }
    this.#components = findComponents(this.#next);
  }

  #isLoop(state: number): boolean {
    return this.#components[state]! >= 0;
  }

  /** Returns true if a state can return to itself by two different paths that read the same text. */
  isExponential(): boolean {
    for (let state = 0; state < this.#next.length; state += 1) {
      if (!this.#isLoop(state) || this.#isEnd[state]) continue;
      if (this.#returnsTwice(state)) return true;
    }
    return false;
  }

  #returnsTwice(start: number): boolean {
    const within = this.#components[start]!;
    const isInside = (state: number) => this.#components[state] === within;
    const seen = new Set<string>();
    const queue: [number, number, boolean][] = [[start, start, false]];
    for (const [one, other, parted] of queue) {
      for (const [kind, ones] of this.#next[one]!) {
        const others = this.#next[other]!.get(kind) ?? [];
        for (const [at, a] of ones.entries()) {
          for (const [against, b] of others.entries()) {
            if (!isInside(a) || !isInside(b) || this.#isEnd[a] || this.#isEnd[b]) continue;
            const differ = parted || a !== b || (one === other && at !== against);
            if (differ && a === start && b === start) return true;
            this.#visit();
            const name = `${a} ${b} ${differ}`;
            if (seen.has(name)) continue;
            seen.add(name);
            queue.push([a, b, differ]);
          }
        }
      }
    }
    return false;
  }

  /**
   * Returns a danger if two consecutive loops of the pattern accept the same text. The text can then be
   * divided between them at any point.
   */
  polynomial(): Danger | undefined {
    let found: Danger | undefined;
    const loops = [...this.#next.keys()].filter((state) => this.#isLoop(state));
    for (const first of loops) {
      const isSkipped = Math.floor(first / this.#kinds) === this.#skipped;
      if (isSkipped && found) continue;
      const after = this.#reachable(first);
      for (const last of loops) {
        if (last === first || first % this.#kinds !== last % this.#kinds) continue;
        if (this.#isEnd[last] || !after.has(last) || !this.#handsOver(first, last)) continue;
        if (!isSkipped) return 'polynomial';
        found = 'quadratic search';
        break;
      }
    }
    return found;
  }

  #reachable(from: number): Set<number> {
    const reached = new Set<number>();
    const queue = [from];
    for (const state of queue) {
      for (const next of this.#next[state]!.values()) {
        for (const to of next) {
          if (reached.has(to)) continue;
          reached.add(to);
          queue.push(to);
        }
      }
    }
    return reached;
  }

  /**
   * Returns true if one text leads from `first` to `first`, from `first` to `last`, and from `last` to
   * `last`.
   */
  #handsOver(first: number, last: number): boolean {
    const [begin, end] = [this.#components[first], this.#components[last]];
    const seen = new Set<string>();
    const queue: [number, number, number][] = [[first, first, last]];
    for (const [a, b, c] of queue) {
      for (const [kind, as] of this.#next[a]!) {
        const bs = this.#next[b]!.get(kind);
        const cs = this.#next[c]!.get(kind);
        if (!bs || !cs) continue;
        for (const x of new Set(as)) {
          if (this.#components[x] !== begin) continue;
          for (const z of new Set(cs)) {
            if (this.#components[z] !== end) continue;
            for (const y of new Set(bs)) {
              if (x === first && y === last && z === last) return true;
              this.#visit();
              const name = `${x} ${y} ${z}`;
              if (seen.has(name)) continue;
              seen.add(name);
              queue.push([x, y, z]);
            }
          }
        }
      }
    }
    return false;
  }

  #visit(): void {
    this.#visits += 1;
    if (this.#visits > MAX_VISITS)
      throw new Error('The pattern is too complicated for this check. Simplify it.');
  }
}

interface Kind {
  sample: string;
  isWord: boolean;
  places: Set<number>;
  /** Character classes of lookarounds that contain the characters of this kind. */
  asserted: Set<string>;
}

/**
 * Groups characters into kinds. Characters are in different kinds if a position or an assertion distinguishes
 * them.
 */
function groupCharacters(classes: readonly string[], near: readonly string[], flags: string): Kind[] {
  const own = flags.replace(/[gydm]/g, '');
  const compileTest = (source: string) => new RegExp(`^(?:${source})$`, own);
  const tests = classes.map(compileTest);
  const nearTests = near.map((source) => [source, compileTest(source)] as const);
  const word = new RegExp('\\w', own);
  const samples = new Set(SOME_OF_EACH);
  for (let code = 0; code < 128; code += 1) samples.add(String.fromCharCode(code));
  for (const source of new Set([...classes, ...near])) {
    for (const character of source) samples.add(character);
    for (const [, hex] of source.matchAll(/\\u\{?([\dA-Fa-f]{4,6})/g)) {
      const code = Number.parseInt(hex!, 16);
      for (const near of [code - 1, code, code + 1]) {
        if (near >= 0 && near <= 0x10ffff) samples.add(String.fromCodePoint(near));
      }
    }
  }
  const kinds = new Map<string, Kind>();
  for (const sample of samples) {
    const places = new Set([...tests.keys()].filter((place) => tests[place]!.test(sample)));
    const asserted = new Set(nearTests.filter(([, test]) => test.test(sample)).map(([source]) => source));
    const isWord = word.test(sample);
    const name = [isWord, isLineEnd(sample), ...places, ...asserted].join();
    if (!kinds.has(name)) kinds.set(name, { sample, isWord, places, asserted });
  }
  return [...kinds.values()];
}

const isLineEnd = (character: string) => /[\n\r\u2028\u2029]/.test(character);

function mayHold({ asserted }: Step, before: Kind, after: Kind, flags: string): boolean {
  const isBoundary = before.isWord !== after.isWord;
  return asserted.every((assertion) => {
    switch (assertion) {
      case '^':
        return flags.includes('m') && isLineEnd(before.sample);
      case '$':
        return flags.includes('m') && isLineEnd(after.sample);
      case '\\b':
        return isBoundary;
      case '\\B':
        return !isBoundary;
      case 'look':
        return true;
      default: {
        const kind = assertion[0] === '<' ? before : after;
        return kind.asserted.has(assertion.slice(2)) === (assertion[1] === '=');
      }
    }
  });
}

/**
 * Returns the strongly connected component of each state. Returns -1 for a state that cannot return to
 * itself.
 */
function findComponents(next: readonly Map<number, number[]>[]): number[] {
  const targets = next.map((steps) => [...new Set([...steps.values()].flat())]);
  const reversed: number[][] = targets.map(() => []);
  for (const [from, tos] of targets.entries()) for (const to of tos) reversed[to]!.push(from);
  const order: number[] = [];
  const isSeen = new Set<number>();
  for (const root of targets.keys()) {
    const stack: [number, number][] = isSeen.has(root) ? [] : [[root, 0]];
    isSeen.add(root);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const to = targets[top[0]]![top[1]++];
      if (to === undefined) order.push(stack.pop()![0]);
      else if (!isSeen.has(to)) {
        isSeen.add(to);
        stack.push([to, 0]);
      }
    }
  }
  const component = targets.map(() => -1);
  const isDone = new Set<number>();
  for (const root of order.toReversed()) {
    if (isDone.has(root)) continue;
    const members = [root];
    isDone.add(root);
    for (const member of members) {
      for (const from of reversed[member]!) {
        if (isDone.has(from)) continue;
        isDone.add(from);
        members.push(from);
      }
    }
    if (members.length > 1 || targets[root]!.includes(root)) for (const one of members) component[one] = root;
  }
  return component;
}
