import type { ClassifyRule } from '#src/classification/configuration.ts';
import { type Knowledge, type Languages, listTerms, type Term } from './term.ts';

/** Term of a rule. */
export interface RuleTerm extends Term {
  /** How much the term says what kind of document the rule means, from 0 to 1. */
  emphasis: number;
}

export interface ReadRule {
  rule: ClassifyRule;
  /** Distinct terms of the rule. A term that other rules contain too has a lower weight. */
  ruleTerms: RuleTerm[];
  /** True if the rule is meant for documents that no other rule fits. */
  isCatchAll: boolean;
}

/**
 * Matches clauses that describe what a rule does not mean, from the negation to the next punctuation mark.
 * Covers the languages that rules are mostly written in.
 */
const NEGATED =
  /(?<!\p{L})(?:not|neither|nor|never|no|except|excluding|excludes?|without|unlike|rather than|other than|instead of|kein\p{L}{0,2}|nicht|ohne|außer|statt|niet|geen|zonder|pas|sans|sauf|hormis|ni|sin|salvo|excepto|exceto|não|sem|non|senza|tranne|nie|bez|oprócz|ej|inte|utan|ikke|uten|uden)(?!\p{L})[^.;:,()]*/giu;

/**
 * Matches the name of a rule for all documents that no other rule fits, such as "other".
 * `CATCH_ALL_DESCRIPTION` matches the beginning of such a rule's description.
 */
const CATCH_ALL_TYPE =
  /^(?:(?:any|all|every)(?:thing)? (?:else|others?)|others?|misc(?:ellaneous)?|none|rest|sonstiges?|andere[sr]?|autres?|divers|otros?|varios|altr[oi]|outros?|overige?|inne|pozostałe)$/iu;
const CATCH_ALL_DESCRIPTION =
  /^(?:(?:any|all|every)(?:thing)? (?:else|others?|remaining)|(?:other|remaining) documents|none of|alles (?:andere|übrige)|alle (?:anderen|übrigen)|tout (?:le reste|autre)|toutes? les autres|cualquier otr[oa]|tod[oa]s? l[oa]s demás|tutt[oi] (?:il resto|gli altri)|qualquer outr[oa]|al het andere|wszystkie (?:inne|pozostałe))/iu;

/** Weight factor of the words in a rule's type, because the type names the kind of document as a whole. */
const TYPE_WEIGHT = 1.5;

/** Number of terms of a description after which a term has half of the first one's emphasis. */
const EMPHASIZED_TERMS = 10;

export function readRules(rules: ClassifyRule[], languages: Languages, knowledge: Knowledge): ReadRule[] {
  const read = rules.map((rule) => readRule(rule, languages, knowledge));
  const spread = new Map<string, number>();
  for (const { ruleTerms } of read) {
    for (const { key } of ruleTerms) spread.set(key, (spread.get(key) ?? 0) + 1);
  }
  const rarity = (key: string) => Math.log(1 + rules.length / spread.get(key)!) / Math.log(1 + rules.length);
  return read.map((each) => ({
    ...each,
    ruleTerms: each.ruleTerms.map((term) => ({ ...term, weight: term.weight * rarity(term.key) })),
  }));
}

function readRule(rule: ClassifyRule, languages: Languages, knowledge: Knowledge): ReadRule {
  const terms = (text: string) => listTerms(text, languages.rules, knowledge, languages.document);
  const type = rule.type.replace(/[_-]/g, ' ').trim();
  const description = rule.description.replace(NEGATED, ' ');
  const wanted = new Map<string, RuleTerm>();
  for (const term of terms(type))
    wanted.set(term.key, { ...term, weight: term.weight * TYPE_WEIGHT, emphasis: 1 });
  for (const [at, term] of terms(description).entries()) {
    if (!wanted.has(term.key)) wanted.set(term.key, { ...term, emphasis: 1 / (1 + at / EMPHASIZED_TERMS) });
  }
  const isCatchAll = CATCH_ALL_TYPE.test(type) || CATCH_ALL_DESCRIPTION.test(rule.description.trim());
  return { rule, ruleTerms: [...wanted.values()], isCatchAll };
}
