import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import { type ClassifyDocument, type ClassifyResult, sampleText } from '#src/classification/document.ts';
import { decide } from './decide.ts';
import { weigh } from './evidence.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { type ReadRule, readRules } from './read-rules.ts';
import { reasonsFor } from './reasons.ts';
import { type Knowledge, languagesOf } from './term.ts';
import { FITTED } from './weights.ts';

/** No answer is surer or less sure than this. */
const CERTAINTY = { least: 0.03, most: 0.97 };
/** A second rule less probable than this is not worth a word. */
const LEAST_TOLD = 0.05;

/**
 * Sorts a document by rules that it has never seen: their words and types are compared with the document's name,
 * title, shape and text, as words and by what these mean.
 */
export async function classifyBuiltin(
  rules: ClassifyRule[],
  document: ClassifyDocument,
): Promise<ClassifyResult> {
  const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
  const knowledge = { vectors, wordWeight };
  const { read, found } = readBoth(rules, document, knowledge);
  const rest = read.find(({ isRest }) => isRest);
  const told = read.filter((each) => each !== rest);
  const { order, isFit, confidence: sureness, shares } = decide(weigh(told, found, vectors), FITTED);
  const best = told[order[0]!];
  const confidence = rounded(sureness);
  const tell = (rule: ReadRule, most: number) => reasonsFor(rule, found, document, vectors, most);
  if (best === undefined || !isFit) {
    const nearest =
      best && found.size > 0 ? ` The nearest is "${best.rule.type}" with ${tell(best, 3)}.` : '';
    if (!rest) {
      return { type: null, confidence, reasoning: `No rule has enough evidence in the document.${nearest}` };
    }
    const { type } = rest.rule;
    return {
      type,
      confidence,
      reasoning: `"${type}" is left, for no other rule has enough evidence.${nearest}`,
    };
  }
  const second = told[order[1] ?? -1];
  const isNear = (shares[1] ?? 0) >= LEAST_TOLD;
  const next = second && isNear ? ` Next is "${second.rule.type}" with ${tell(second, 2)}.` : '';
  return {
    type: best.rule.type,
    confidence,
    reasoning: `Matches "${best.rule.type}": found ${tell(best, 5)}.${next}`,
  };
}

/** Rules and document in terms that can be compared. */
export function readBoth(
  rules: ClassifyRule[],
  document: ClassifyDocument,
  knowledge: Knowledge,
): { read: ReadRule[]; found: ReadDocument } {
  const text = sampleText(document.pages);
  const described = rules.map(({ type, description }) => `${type} ${description}`).join('\n');
  const languages = languagesOf(described, text);
  return {
    read: readRules(rules, languages, knowledge),
    found: readDocument(document, text, languages.document, knowledge),
  };
}

function rounded(probability: number): number {
  const held = Math.min(CERTAINTY.most, Math.max(CERTAINTY.least, probability));
  return Math.round(held * 1000) / 1000;
}
