import { Spellings } from '#src/builtin/word-vectors/spellings.ts';
import { cosine, type WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { compareForms } from './forms/compare-forms.ts';
import type { Form, FormStrengths } from './forms/names.ts';
import { getSignificance, type MeaningfulTerm, type ReadDocument } from './read-document.ts';
import type { ReadRule } from './read-rules.ts';
import type { Term } from './term.ts';

/**
 * Similarity of unrelated words, from 0 to 1. A term that is exactly this similar to one rule counts equally
 * for this rule and for no rule.
 */
const UNRELATED = 0.3;

/**
 * Difference in similarity at which the more similar rule gets e (about 2.7) times the other rule's share of
 * a term.
 */
const CLEARLY_NEARER = 0.1;

/** Evidence of the document for one rule. Each part counts by its weight, so no part can exclude the rule. */
export interface Evidence {
  /** Cosine similarity of the BM25 weights of the rule's terms and the document. */
  words: number;
  /**
   * Cosine similarity as in `words`, where words of similar spelling also count: other forms and compounds.
   */
  spelling: number;
  /** Cosine similarity of the summed word vectors of the rule and the document. */
  meaning: number;
  /**
   * Logarithm of the share of the document whose words are more similar to this rule than to other rules. 0
   * if the share is 0.
   */
  votes: number;
  /** Cosine similarity as in `words` of the words that say what the rule means and the document's beginning. */
  opening: number;
  /** How much the document shows a form that this rule names more than other rules, from 0 to 1. */
  form: number;
  /** How much this rule names a form that the document lacks. Only forms that show for certain count if it shows no other form. From 0 to 1. */
  missing: number;
}

export interface RuleEvidence {
  byRule: Evidence[];
  /** Number of distinct terms of each rule. */
  ruleTermCounts: number[];
  /** Share from 0 to 1 of each rule's terms whose meaning is known. */
  knownRuleShares: number[];
  /** Share from 0 to 1 of the document's terms whose meaning is known. */
  knownShare: number;
  /** Cosine similarity of the document's words to each general topic of texts. */
  topicSimilarities: number[];
  /** Form that is the strongest evidence for each rule, if any form is. */
  shownForms: (Form | undefined)[];
  /** How much the document shows a form that no rule names, from 0 to 1. */
  unnamedForm: number;
  /** How much the forms that the rules name separate the rules, from 0 to 1. */
  separatingForms: number;
  /** Number of distinct terms of the document. */
  documentTermCount: number;
}

/** Number of the document's most significant terms that are compared by meaning. More terms bring no gain. */
const MAX_MEANINGFUL_TERMS = 256;
/**
 * Maximum number of document terms that are compared by spelling, and of rule terms that are looked up among
 * them.
 */
const MAX_COMPARED_SPELLINGS = 2_000;
const MIN_LIKENESS = 0.5;
/** Number of a document's first terms that often name what it is. */
const OPENING = 40;

export function collectEvidence(
  rules: ReadRule[],
  document: ReadDocument,
  vectors: WordVectors,
  forms: FormStrengths,
): RuleEvidence {
  const formEvidence = compareForms(rules, forms, vectors);
  const meaningfulTerms = listMeaningfulTerms(document);
  const shares = computeVotes(rules, meaningfulTerms, vectors);
  const meaning = vectors.sum(
    meaningfulTerms.map((term) => ({ ...term.meaning, weight: getSignificance(term) ** 2 })),
  );
  const alike = createSpellingMatcher(document);
  const byRule = rules.map(({ ruleTerms }, index): Evidence => {
    let square = 0;
    let words = 0;
    let spelling = 0;
    let opening = 0;
    let openingSquare = 0;
    for (const { key, weight, emphasis } of ruleTerms) {
      const term = document.get(key);
      const strength = term?.strength;
      const emphasized = (weight * emphasis) ** 2;
      openingSquare += emphasized;
      if (term && term.first < OPENING) opening += emphasized * (1 - term.first / OPENING);
      square += weight ** 2;
      words += weight ** 2 * (strength ?? 0);
      spelling += weight ** 2 * (strength ?? alike(key));
    }
    const length = Math.sqrt(square) || 1;
    const sum = vectors.sum(
      ruleTerms.flatMap((term) => (term.meaning ? [{ ...term.meaning, weight: term.weight }] : [])),
    );
    return {
      words: words / length,
      spelling: spelling / length,
      meaning: cosine(meaning, sum),
      votes: Math.log(1 + 50 * shares[index]!),
      opening: opening / (Math.sqrt(openingSquare) || 1),
      ...formEvidence.byRule[index]!,
    };
  });
  return {
    byRule,
    ruleTermCounts: rules.map(({ ruleTerms }) => ruleTerms.length),
    knownRuleShares: rules.map(({ ruleTerms }) => computeKnownShare(ruleTerms, ({ weight }) => weight)),
    knownShare: computeKnownShare(document.values(), getSignificance),
    shownForms: formEvidence.shown,
    unnamedForm: formEvidence.unnamed,
    separatingForms: formEvidence.separating,
    documentTermCount: document.size,
    topicSimilarities: vectors.topics.map((topic) => cosine(meaning, topic)),
  };
}

function listMeaningfulTerms(document: ReadDocument): MeaningfulTerm[] {
  const meaningfulTerms = [...document.values()].filter(
    (term): term is MeaningfulTerm => term.meaning !== undefined,
  );
  const sure = (term: MeaningfulTerm) => getSignificance(term) * term.meaning.certainty;
  return meaningfulTerms.sort((left, right) => sure(right) - sure(left)).slice(0, MAX_MEANINGFUL_TERMS);
}

function computeKnownShare<T extends Term>(terms: Iterable<T>, share: (term: T) => number): number {
  let known = 0;
  let all = 0;
  for (const term of terms) {
    all += share(term);
    known += share(term) * (term.meaning?.certainty ?? 0);
  }
  return known / (all || 1);
}

/**
 * Returns a function that finds the document term whose spelling is most similar to a rule's term. The
 * function returns the term's strength times the similarity, or 0 if there is none.
 */
function createSpellingMatcher(document: ReadDocument): (key: string) => number {
  const terms = [...document.entries()].slice(0, MAX_COMPARED_SPELLINGS);
  const spellings = new Spellings(
    terms.map(([key]) => key),
    MIN_LIKENESS,
  );
  const strengthByKey = new Map<string, number>();
  return (key) => {
    let strength = strengthByKey.get(key);
    if (strength === undefined && strengthByKey.size < MAX_COMPARED_SPELLINGS) {
      const nearest = spellings.findNearest(key);
      strength = nearest ? nearest.likeness * terms[nearest.index]![1].strength : 0;
      strengthByKey.set(key, strength);
    }
    return strength ?? 0;
  };
}

/**
 * Returns the share of the document that each rule wins. Each term is divided among the rules by its
 * similarity to their terms. Terms that are similar to no rule hardly count.
 */
function computeVotes(rules: ReadRule[], meaningfulTerms: MeaningfulTerm[], vectors: WordVectors): number[] {
  const { meanings, termsByRule } = indexMeanings(rules);
  const shares = rules.map(() => 0);
  const nearness = new Float64Array(meanings.length);
  let total = 0;
  for (const term of meaningfulTerms) {
    const { vector, certainty } = term.meaning;
    for (const [at, wantedVector] of meanings.entries()) {
      nearness[at] = vectors.likeness(vector, wantedVector) * certainty;
    }
    const powers = termsByRule.map((list) => {
      let nearest = 0;
      for (const { at, key, weight, certainty } of list) {
        const likeness = key === term.key ? 1 : at < 0 ? 0 : nearness[at]! * certainty;
        nearest = Math.max(nearest, likeness * weight);
      }
      return Math.exp((nearest - UNRELATED) / CLEARLY_NEARER);
    });
    const all = powers.reduce((sum, power) => sum + power, 1);
    const share = getSignificance(term) * certainty;
    total += share;
    for (const [rule, power] of powers.entries()) shares[rule]! += (share * power) / all;
  }
  return shares.map((share) => share / (total || 1));
}

/**
 * Returns the distinct vectors of the rules' terms, and each rule's terms with the index of their vector. The
 * index is -1 for a term without a vector.
 */
function indexMeanings(rules: ReadRule[]) {
  const places = new Map<number, number>();
  const getPlace = (vector: number) => {
    const place = places.get(vector) ?? places.size;
    places.set(vector, place);
    return place;
  };
  const termsByRule = rules.map((rule) =>
    rule.ruleTerms.map(({ key, weight, meaning }) => ({
      key,
      // Terms that say little or that all rules share have lower weights. This formula limits the reduction
      // to one half.
      weight: (1 + weight) / 2,
      at: meaning ? getPlace(meaning.vector) : -1,
      certainty: meaning?.certainty ?? 0,
    })),
  );
  return { meanings: [...places.keys()], termsByRule };
}
