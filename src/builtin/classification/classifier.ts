import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import {
  type ClassifyDocument,
  type ClassifyResult,
  measureLayout,
  sampleText,
} from '#src/classification/document.ts';
import { decide } from './decide.ts';
import { collectEvidence } from './evidence.ts';
import { detectForms } from './forms/detect-forms.ts';
import type { FormStrengths } from './forms/names.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { type ReadRule, readRules } from './read-rules.ts';
import { describeReasons } from './reasons.ts';
import { detectLanguages, type Knowledge } from './term.ts';
import { FITTED } from './weights.ts';

/** Lowest and highest confidence that the classifier reports. */
const CONFIDENCE_RANGE = { min: 0.03, max: 0.97 };
/** Minimum probability, from 0 to 1, at which the reasoning mentions the second-best rule. */
const MIN_SECOND_SHARE = 0.05;

/**
 * Classifies a document without a model. The words and types of the rules are compared with the document's
 * name, title, layout and text, both literally and by meaning.
 */
export async function classifyBuiltin(
  rules: ClassifyRule[],
  document: ClassifyDocument,
): Promise<ClassifyResult> {
  const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
  const knowledge = { vectors, wordWeight };
  const { read, found, forms } = readRulesAndDocument(rules, document, knowledge);
  const catchAll = read.find(({ isCatchAll }) => isCatchAll);
  const candidates = read.filter((each) => each !== catchAll);
  const evidence = collectEvidence(candidates, found, vectors, forms);
  const { order, isFit, confidence: probability, shares } = decide(evidence, FITTED);
  const best = candidates[order[0]!];
  const confidence = roundConfidence(probability);
  const describe = (rule: ReadRule, limit: number) => {
    const form = evidence.shownForms[candidates.indexOf(rule)];
    const reasons = describeReasons(rule, found, document, vectors, limit);
    return form ? `the shape of the document (${form}) and ${reasons}` : reasons;
  };
  if (best === undefined || !isFit) {
    const nearest =
      best && found.size > 0
        ? ` The closest rule is "${best.rule.type}", based on ${describe(best, 3)}.`
        : '';
    if (!catchAll) {
      return { type: null, confidence, reasoning: `No rule has enough evidence in the document.${nearest}` };
    }
    const { type } = catchAll.rule;
    return {
      type,
      confidence,
      reasoning: `No other rule has enough evidence, so "${type}" applies.${nearest}`,
    };
  }
  const second = candidates[order[1] ?? -1];
  const isNear = (shares[1] ?? 0) >= MIN_SECOND_SHARE;
  const next =
    second && isNear
      ? ` The second-best rule is "${second.rule.type}", based on ${describe(second, 2)}.`
      : '';
  return {
    type: best.rule.type,
    confidence,
    reasoning: `Matches "${best.rule.type}": found ${describe(best, 5)}.${next}`,
  };
}

/** Converts the rules and the document into terms that can be compared. */
export function readRulesAndDocument(
  rules: ClassifyRule[],
  document: ClassifyDocument,
  knowledge: Knowledge,
): { read: ReadRule[]; found: ReadDocument; forms: FormStrengths } {
  const text = sampleText(document.pages);
  const layout = measureLayout(document, text);
  const described = rules.map(({ type, description }) => `${type} ${description}`).join('\n');
  const languages = detectLanguages(described, text);
  return {
    read: readRules(rules, languages, knowledge),
    found: readDocument(document, text, languages.document, knowledge),
    forms: detectForms(document, text, layout),
  };
}

function roundConfidence(probability: number): number {
  const held = Math.min(CONFIDENCE_RANGE.max, Math.max(CONFIDENCE_RANGE.min, probability));
  return Math.round(held * 1000) / 1000;
}
