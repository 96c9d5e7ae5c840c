import type { ClassifyRule } from '#src/jobs/classify/configuration.ts';
import { fold, wordsOf } from '#src/lib/words.ts';
import type { Genre } from './genres/genre.ts';
import { GENRES } from './genres/index.ts';

/** A rule with what it asks for: weighted words of its own and the genre it means. */
export interface RuleProfile {
  rule: ClassifyRule;
  /** Folded words and two-word phrases; the rarer among the rules, the heavier. */
  terms: Map<string, number>;
  genres: { genre: Genre; share: number }[];
}

const STOP = new Set(
  (
    'a an the of for to in on at by with from and or not is are was were be been it its this that these those as such than then which who whom whose what how when where ' +
    'document documents file files page pages any all each other usually often typically also may can will has have had their his her they them about into over under between without ' +
    'kind type form example contains containing includes including include contain one two single whatever however here belong belongs de het een van en der die das und ein eine le la les des du et'
  ).split(' '),
);

/** "not the formal filing", "neither does a press release": what a rule says it is not. */
const NEGATED =
  /\b(?:not|neither|nor|never|except|excluding|unlike|rather than|kein\w*|nicht|niet|geen|pas de|nie)\b[^.;]*/giu;

export function profileRules(rules: ClassifyRule[]): RuleProfile[] {
  const sets = rules.map((rule) => termsOf(rule));
  const spread = new Map<string, number>();
  for (const terms of sets) for (const term of terms.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
  return rules.map((rule, index) => ({
    rule,
    genres: genresOf(rule),
    terms: new Map(
      [...sets[index]!].map(([term, weight]) => [
        term,
        weight * Math.log2(1 + rules.length / spread.get(term)!),
      ]),
    ),
  }));
}

function termsOf(rule: ClassifyRule): Map<string, number> {
  const terms = new Map<string, number>();
  const note = (term: string, weight: number) => terms.set(term, Math.max(terms.get(term) ?? 0, weight));
  const type = wordsOf(rule.type.replace(/[_-]/g, ' ')).filter((word) => !STOP.has(word));
  for (const word of type) note(word, 1.5);
  if (type.length > 1) note(type.join(' '), 2.5);
  const positive = rule.description.replace(NEGATED, ' ');
  for (const piece of positive.split(/[,.;:()"'“”„]+/)) {
    const words = wordsOf(piece);
    for (const [index, word] of words.entries()) {
      if (STOP.has(word) || word.length < 3) continue;
      note(word, 1);
      const next = words[index + 1];
      if (next && !STOP.has(next)) note(`${word} ${next}`, 1.6);
    }
  }
  for (const quoted of positive.matchAll(/["“„'‘]([^"”“'’]{2,40})["”“'’]/g))
    note(wordsOf(quoted[1]!).join(' '), 2);
  return terms;
}

/** The genres a rule means: by its type when that names one, else by the first words of its description. */
function genresOf(rule: ClassifyRule): { genre: Genre; share: number }[] {
  const type = fold(rule.type.replace(/[_-]/g, ' '));
  const byType = GENRES.filter((genre) => genre.rule.test(type));
  // "10-K annual report" names the form and the kind; the first genre listed is the more special one.
  if (byType.length > 0) return byType.slice(0, 1).map((genre) => ({ genre, share: 1 }));
  const description = fold(rule.description.replace(NEGATED, ' ')).replace(/[-_]/g, ' ');
  const opening = description.split(/[.;:]/)[0] ?? '';
  return GENRES.filter((genre) => genre.rule.test(opening))
    .slice(0, 2)
    .map((genre, _, all) => ({ genre, share: 0.7 / all.length }));
}
