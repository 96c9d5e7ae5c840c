import type { WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { type Meant, saying } from './read-document.ts';
import type { ReadRule } from './read-rules.ts';

/** How near words are that have nothing to do with each other: what no rule comes nearer to than this, none explains. */
const UNRELATED = 0.3;
/** A rule that is nearer by this much gets e times the share. */
const CLEARLY_NEARER = 0.1;

/** The rules' shares of the document: of each term by how near their nearest one is, what is near none is nobody's. */
export function votesOf(rules: ReadRule[], meant: Meant[], vectors: WordVectors): number[] {
  const { meanings, wanted } = numbered(rules);
  const shares = rules.map(() => 0);
  const nearness = new Float64Array(meanings.length);
  let total = 0;
  for (const term of meant) {
    const { vector, sureness } = term.meaning;
    for (const [at, wantedVector] of meanings.entries()) {
      nearness[at] = vectors.likeness(vector, wantedVector) * sureness;
    }
    const powers = wanted.map((list) => {
      let nearest = 0;
      for (const { at, key, weight, sureness } of list) {
        const likeness = key === term.key ? 1 : at < 0 ? 0 : nearness[at]! * sureness;
        nearest = Math.max(nearest, likeness * weight);
      }
      return Math.exp((nearest - UNRELATED) / CLEARLY_NEARER);
    });
    const all = powers.reduce((sum, power) => sum + power, 1);
    const share = saying(term) * sureness;
    total += share;
    for (const [rule, power] of powers.entries()) shares[rule]! += (share * power) / all;
  }
  return shares.map((share) => share / (total || 1));
}

/** The different vectors that rules ask for, and each rule's terms with the place of theirs, -1 for none. */
function numbered(rules: ReadRule[]) {
  const places = new Map<number, number>();
  const placeOf = (vector: number) => {
    const place = places.get(vector) ?? places.size;
    places.set(vector, place);
    return place;
  };
  const wanted = rules.map((rule) =>
    rule.wanted.map(({ key, weight, meaning }) => ({
      key,
      // A term that says little, or that all rules ask for, is half as near as it looks.
      weight: (1 + weight) / 2,
      at: meaning ? placeOf(meaning.vector) : -1,
      sureness: meaning?.sureness ?? 0,
    })),
  );
  return { meanings: [...places.keys()], wanted };
}
