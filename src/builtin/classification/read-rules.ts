import type { ClassifyRule } from '#src/classification/configuration.ts';
import { type Knowledge, type Languages, type Term, termsOf } from './term.ts';

export interface ReadRule {
  rule: ClassifyRule;
  /** The different terms that it asks for; those that other rules ask for too weigh less. */
  wanted: Term[];
  /** It is meant for what no other rule fits. */
  isRest: boolean;
}

/** What begins a clause that says what a rule does not mean, in the languages that rules are mostly written in. */
const NEGATED =
  /(?<!\p{L})(?:not|neither|nor|never|no|except|excluding|excludes?|without|unlike|rather than|other than|instead of|kein\p{L}{0,2}|nicht|ohne|außer|statt|niet|geen|zonder|pas|sans|sauf|hormis|ni|sin|salvo|excepto|exceto|não|sem|non|senza|tranne|nie|bez|oprócz|ej|inte|utan|ikke|uten|uden)(?!\p{L})[^.;:,()]*/giu;

/** How a rule is named that takes whatever is left over, and how its description begins. */
const REST_TYPE =
  /^(?:(?:any|all|every)(?:thing)? (?:else|others?)|others?|misc(?:ellaneous)?|none|rest|sonstiges?|andere[sr]?|autres?|divers|otros?|varios|altr[oi]|outros?|overige?|inne|pozostałe)$/iu;
const REST_DESCRIPTION =
  /^(?:(?:any|all|every)(?:thing)? (?:else|others?|remaining)|(?:other|remaining) documents|none of|alles (?:andere|übrige)|alle (?:anderen|übrigen)|tout (?:le reste|autre)|toutes? les autres|cualquier otr[oa]|tod[oa]s? l[oa]s demás|tutt[oi] (?:il resto|gli altri)|qualquer outr[oa]|al het andere|wszystkie (?:inne|pozostałe))/iu;

/** The type is a name that somebody chose for the whole of what is meant. */
const TYPE_WEIGHT = 1.5;

export function readRules(rules: ClassifyRule[], languages: Languages, knowledge: Knowledge): ReadRule[] {
  const read = rules.map((rule) => readRule(rule, languages, knowledge));
  const spread = new Map<string, number>();
  for (const { wanted } of read) {
    for (const { key } of wanted) spread.set(key, (spread.get(key) ?? 0) + 1);
  }
  const rarity = (key: string) => Math.log(1 + rules.length / spread.get(key)!) / Math.log(1 + rules.length);
  return read.map((each) => ({
    ...each,
    wanted: each.wanted.map((term) => ({ ...term, weight: term.weight * rarity(term.key) })),
  }));
}

function readRule(rule: ClassifyRule, languages: Languages, knowledge: Knowledge): ReadRule {
  const terms = (text: string) => termsOf(text, languages.rules, knowledge, languages.document);
  const type = rule.type.replace(/[_-]/g, ' ').trim();
  const description = rule.description.replace(NEGATED, ' ');
  const wanted = new Map<string, Term>();
  for (const term of terms(type)) wanted.set(term.key, { ...term, weight: term.weight * TYPE_WEIGHT });
  for (const term of terms(description)) if (!wanted.has(term.key)) wanted.set(term.key, term);
  const isRest = REST_TYPE.test(type) || REST_DESCRIPTION.test(rule.description.trim());
  return { rule, wanted: [...wanted.values()], isRest };
}
