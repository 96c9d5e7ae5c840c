import { Spellings } from '#src/builtin/word-vectors/spellings.ts';
import { cosine, type WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { type Meant, type ReadDocument, saying } from './read-document.ts';
import type { ReadRule } from './read-rules.ts';
import type { Term } from './term.ts';

/** How near words are that have nothing to do with each other: what no rule comes nearer to than this, none explains. */
const UNRELATED = 0.3;

/** A rule that is nearer by this much gets e times the share. */
const CLEARLY_NEARER = 0.1;

/** What the document says for one rule. No part can veto: each counts by its weight. */
export interface Evidence {
  /** The rule's terms in the document, as the cosine of BM25 weights. */
  words: number;
  /** The same where words count that are only written alike: other forms, compounds. */
  spelling: number;
  /** Cosine of what the rule's words and the document's mean together. */
  meaning: number;
  /** How much of the document is nearer to this rule's words than to those of the others; a logarithm, 0 for nothing. */
  votes: number;
}

export interface Weighed {
  ofRules: Evidence[];
  /** How many different terms each of them asks for. */
  asked: number[];
  /** Share of each of them, 0..1, whose meaning is known. */
  knownOfRules: number[];
  /** Share of the document, 0..1, whose meaning is known. */
  known: number;
  /** Cosine of what the document's words mean with each of what texts in general are about. */
  background: number[];
}

/** The document's weightiest terms speak for it; there is nothing to gain by more. */
const MOST_MEANT = 256;
/** The terms that are compared by their spelling, and the wanted ones that are looked up among them. */
const MOST_SPELLED = 2_000;
const LEAST_LIKENESS = 0.5;

export function weigh(rules: ReadRule[], document: ReadDocument, vectors: WordVectors): Weighed {
  const meant = meantBy(document);
  const shares = votesOf(rules, meant, vectors);
  const meaning = vectors.sum(meant.map((term) => ({ ...term.meaning, weight: saying(term) ** 2 })));
  const alike = spellingIn(document);
  const ofRules = rules.map(({ wanted }, index): Evidence => {
    let square = 0;
    let words = 0;
    let spelling = 0;
    for (const { key, weight } of wanted) {
      const strength = document.get(key)?.strength;
      square += weight ** 2;
      words += weight ** 2 * (strength ?? 0);
      spelling += weight ** 2 * (strength ?? alike(key));
    }
    const length = Math.sqrt(square) || 1;
    const sum = vectors.sum(
      wanted.flatMap((term) => (term.meaning ? [{ ...term.meaning, weight: term.weight }] : [])),
    );
    return {
      words: words / length,
      spelling: spelling / length,
      meaning: cosine(meaning, sum),
      votes: Math.log(1 + 50 * shares[index]!),
    };
  });
  return {
    ofRules,
    asked: rules.map(({ wanted }) => wanted.length),
    knownOfRules: rules.map(({ wanted }) => knownOf(wanted, ({ weight }) => weight)),
    known: knownOf(document.values(), saying),
    background: vectors.topics.map((topic) => cosine(meaning, topic)),
  };
}

function meantBy(document: ReadDocument): Meant[] {
  const meant = [...document.values()].filter((term): term is Meant => term.meaning !== undefined);
  const sure = (term: Meant) => saying(term) * term.meaning.sureness;
  return meant.sort((left, right) => sure(right) - sure(left)).slice(0, MOST_MEANT);
}

function knownOf<T extends Term>(terms: Iterable<T>, share: (term: T) => number): number {
  let known = 0;
  let all = 0;
  for (const term of terms) {
    all += share(term);
    known += share(term) * (term.meaning?.sureness ?? 0);
  }
  return known / (all || 1);
}

/** How strong the document's term is that is written most like a wanted one. */
function spellingIn(document: ReadDocument): (key: string) => number {
  const terms = [...document.entries()].slice(0, MOST_SPELLED);
  const spellings = new Spellings(
    terms.map(([key]) => key),
    LEAST_LIKENESS,
  );
  const asked = new Map<string, number>();
  return (key) => {
    let strength = asked.get(key);
    if (strength === undefined && asked.size < MOST_SPELLED) {
      const nearest = spellings.nearest(key);
      strength = nearest ? nearest.likeness * terms[nearest.index]![1].strength : 0;
      asked.set(key, strength);
    }
    return strength ?? 0;
  };
}

/** The rules' shares of the document: of each term by how near their nearest one is, what is near none is nobody's. */
function votesOf(rules: ReadRule[], meant: Meant[], vectors: WordVectors): number[] {
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
