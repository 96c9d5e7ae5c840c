/** Shorter words are alike by accident. */
const SHORTEST = 5;
/** Longer ones are no words, and cost time. */
const LONGEST = 32;
/** A run that more words have tells none of them. */
const MOST_OF_A_RUN = 1_000;
/** What is looked up is remembered, up to so many words. */
const REMEMBERED = 20_000;

export interface Spelled {
  index: number;
  /** 0..1 */
  likeness: number;
}

/** Finds the word of a list that is written most like another one, by the runs of three letters that both have. */
export class Spellings {
  readonly #least: number;
  readonly #byRun = new Map<string, number[]>();
  readonly #runs: number[];
  readonly #known = new Map<string, Spelled | undefined>();
  /** How many runs each word shares with the one that is looked up; nothing between two look-ups. */
  readonly #shared: Uint8Array;

  constructor(words: readonly string[], least: number) {
    this.#least = least;
    this.#shared = new Uint8Array(words.length);
    this.#runs = words.map((word, index) => {
      const runs = runsOf(word);
      for (const run of runs) {
        const listed = this.#byRun.get(run);
        if (listed) listed.push(index);
        else this.#byRun.set(run, [index]);
      }
      return runs.length;
    });
  }

  nearest(word: string): Spelled | undefined {
    if (this.#known.has(word)) return this.#known.get(word);
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    const found = this.#find(runsOf(word));
    this.#known.set(word, found);
    return found;
  }

  #find(runs: string[]): Spelled | undefined {
    const met: number[] = [];
    for (const run of runs) {
      const listed = this.#byRun.get(run);
      if (listed === undefined || listed.length > MOST_OF_A_RUN) continue;
      for (const index of listed) {
        if (this.#shared[index] === 0) met.push(index);
        this.#shared[index]! += 1;
      }
    }
    let best: Spelled | undefined;
    for (const index of met) {
      const likeness = (2 * this.#shared[index]!) / (runs.length + this.#runs[index]!);
      this.#shared[index] = 0;
      if (likeness >= this.#least && likeness > (best?.likeness ?? 0)) best = { index, likeness };
    }
    return best;
  }
}

/** The different runs of three letters of a word, as it begins and whatever it ends in; none of a short one. */
function runsOf(word: string): string[] {
  if (word.length < SHORTEST || word.length > LONGEST) return [];
  const spelled = `^${sound(word)}`;
  const runs = new Set<string>();
  for (let at = 0; at + 3 <= spelled.length; at++) runs.add(spelled.slice(at, at + 3));
  return [...runs];
}

/** One letter for those that languages write the same sound with: Politik and politics, Photographie and fotografía. */
function sound(word: string): string {
  return word
    .replaceAll('ph', 'f')
    .replaceAll('th', 't')
    .replace(/ck|[kqz]/g, 'c')
    .replace(/[yj]/g, 'i')
    .replaceAll('w', 'v')
    .replace(/(.)\1+/g, '$1');
}
