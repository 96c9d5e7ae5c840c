import type { ClassifyRule } from '#src/jobs/classify/configuration.ts';
import {
  type ClassifyDocument,
  type ClassifyResult,
  type LayoutFeatures,
  layoutFeatures,
  sampleText,
} from '#src/jobs/classify/document.ts';
import { SHAPES } from '#src/jobs/classify/shape.ts';
import { wordsOf } from '#src/lib/words.ts';
import { profileRules, type RuleProfile } from './rule-terms.ts';

/** One reason for or against a rule: words of the document, or a fact about it. */
interface Clue {
  quote?: string;
  fact?: string;
  weight: number;
}

interface Verdict {
  rule: ClassifyRule;
  score: number;
  clues: Clue[];
}

interface Subject {
  document: ClassifyDocument;
  text: string;
  /** Title and first lines: what a reader looks at first. */
  top: string;
  /** The words of text and top, folded and parted by single spaces. */
  words: string;
  topWords: string;
  features: LayoutFeatures;
}

// Weights add up to a score: one certain cue at the top of a document is 3. Scores become probabilities over
// the rules and "none", whose score is fixed; the temperature is that scale's, checked by bench/classify.ts (ECE).
const NO_RULE = 1.4;
const TEMPERATURE = 1.1;
/** No answer is surer or less sure than this. */
const CERTAINTY = { least: 0.03, most: 0.97 };
const TOP_CHARACTERS = 1_500;
const EXTENSION_WEIGHT = 3.2;
const NAME_WEIGHT = 2;

/** Sorts a document by the rules' words, the cues of the genres they mean, the file's name and the layout. */
export function classifyBuiltin(rules: ClassifyRule[], document: ClassifyDocument): ClassifyResult {
  const text = sampleText(document.pages);
  const top = `${document.title ?? ''}\n${text.slice(0, TOP_CHARACTERS)}`;
  const subject: Subject = {
    document,
    text,
    top,
    words: ` ${wordsOf(text).join(' ')} `,
    topWords: ` ${wordsOf(top).join(' ')} `,
    features: layoutFeatures(document, text),
  };
  const verdicts = profileRules(rules).map((profile) => judge(profile, subject));
  verdicts.sort((left, right) => right.score - left.score);
  return conclude(verdicts, document);
}

function judge(profile: RuleProfile, subject: Subject): Verdict {
  const clues = distinct([
    ...genreClues(profile, subject),
    ...termClues(profile, subject),
    ...nameClues(profile, subject),
  ]);
  const score = clues.reduce((sum, clue) => sum + clue.weight, 0);
  return { rule: profile.rule, score, clues };
}

/** Strongest first; the same words are counted once. */
function distinct(clues: Clue[]): Clue[] {
  const seen = new Set<string>();
  return clues
    .sort((left, right) => right.weight - left.weight)
    .filter((clue) => {
      const key = clue.quote === undefined ? `fact ${clue.fact}` : wordsOf(clue.quote).join(' ');
      return !seen.has(key) && seen.add(key);
    });
}

function genreClues({ genres }: RuleProfile, { text, top, features }: Subject): Clue[] {
  const clues: Clue[] = [];
  for (const { genre, share } of genres) {
    for (const [cue, weight] of genre.cues) {
      const early = cue.exec(top);
      const match = early ?? cue.exec(text);
      if (!match) continue;
      const count = Math.min(8, text.match(new RegExp(cue.source, `${cue.flags}g`))?.length ?? 1);
      // A long text says everything once: what stands at the top or often counts.
      const place = early ? 1 : Math.min(0.7, 0.25 + 0.1 * count);
      clues.push({ quote: match[0], weight: weight * place * share });
    }
    if (genre.extensions?.includes(features.extension)) {
      clues.push({ fact: `the file extension .${features.extension}`, weight: EXTENSION_WEIGHT * share });
    }
    for (const shape of SHAPES[genre.id] ?? []) {
      const found = shape(features);
      if (found) clues.push({ fact: found.fact, weight: found.weight * share });
    }
  }
  return clues;
}

/** The rule's own words in the document; all of them together weigh as much as a few strong cues. */
function termClues({ terms }: RuleProfile, { words, topWords }: Subject): Clue[] {
  const total = [...terms.values()].reduce((sum, weight) => sum + weight, 0) || 1;
  const has = (text: string, term: string) => text.includes(` ${term} `) || text.includes(` ${term}s `);
  const found: Clue[] = [];
  for (const [term, weight] of terms) {
    const early = has(topWords, term);
    if (!early && !has(words, term)) continue;
    const share = Math.min(0.8, (weight / total) * 5);
    found.push({ quote: term, weight: share * (early ? 1 : 0.4) });
  }
  return found;
}

function nameClues({ rule }: RuleProfile, { document }: Subject): Clue[] {
  const plain = (text: string) => wordsOf(text.replace(/[_-]/g, ' ')).join(' ');
  const type = plain(rule.type);
  const named = [document.name, document.title].find(
    (text) => text && type && ` ${plain(text)} `.includes(` ${type} `),
  );
  return named ? [{ fact: `the name "${named}"`, weight: NAME_WEIGHT }] : [];
}

function conclude(verdicts: Verdict[], document: ClassifyDocument): ClassifyResult {
  const [best, second] = verdicts;
  // Minus one: rules without any evidence take no share, however many they are.
  const power = (score: number) => Math.max(0, Math.exp(score / TEMPERATURE) - 1);
  const total = power(NO_RULE) + verdicts.reduce((sum, verdict) => sum + power(verdict.score), 0);
  const confidence = (score: number) => {
    const share = Math.min(CERTAINTY.most, Math.max(CERTAINTY.least, power(score) / total));
    return Math.round(share * 1000) / 1000;
  };
  const tell = (verdict: Verdict, most: number) =>
    `"${verdict.rule.type}" with ${describe(verdict.clues.slice(0, most), document)}.`;
  if (!best || best.score < NO_RULE) {
    const near = best?.clues.some((clue) => clue.weight > 0) ? ` The nearest is ${tell(best, 3)}` : '';
    const reasoning = `No rule has enough evidence in the document.${near}`;
    return { type: null, confidence: confidence(NO_RULE), reasoning };
  }
  const next = second && second.score > NO_RULE ? ` Next is ${tell(second, 2)}` : '';
  const reasoning = `Matches "${best.rule.type}": found ${describe(best.clues.slice(0, 5), document)}.${next}`;
  return { type: best.rule.type, confidence: confidence(best.score), reasoning };
}

function describe(clues: Clue[], document: ClassifyDocument): string {
  return clues
    .filter((clue) => clue.weight > 0)
    .map(({ quote, fact }) => {
      if (quote === undefined) return fact;
      const found = locate(quote, document);
      return found ? `"${found.text}" on page ${found.page}` : `"${excerpt(quote)}"`;
    })
    .join(', ');
}

/** The words as the document prints them and the 1-based page they are on. */
function locate(quote: string, { pages }: ClassifyDocument): { text: string; page: number } | undefined {
  const pattern = new RegExp((quote.match(/[\p{L}\p{N}]+/gu) ?? []).join('[^\\p{L}\\p{N}]+'), 'iu');
  for (const page of pages) {
    const match = page.text.includes(quote) ? [quote] : pattern.exec(page.text);
    if (match) return { text: excerpt(match[0]!), page: page.index + 1 };
  }
  return undefined;
}

function excerpt(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 60 ? `${flat.slice(0, 57)}...` : flat;
}
