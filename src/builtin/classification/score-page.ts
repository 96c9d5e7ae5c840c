import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import type { ClassifyRule } from '#src/classification/configuration.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { readRulesAndDocument } from './classifier.ts';
import { computeFitLogit, computeSigns, decide, scoreRules } from './decide.ts';
import { collectEvidence } from './evidence.ts';
import { FITTED } from './weights.ts';

/** Number of characters of a page that are compared with the rules. */
const MAX_CHARACTERS = 20_000;

/**
 * Returns the probability of each rule for one page without a model, and last the probability that no rule
 * fits. A rule for everything else, such as "other", receives that probability. Without words on the page, all are equal.
 */
export async function scorePage(
  rules: readonly ClassifyRule[],
  page: ClassifyDocument['pages'][number],
): Promise<number[]> {
  const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
  const document = { pages: [{ ...page, text: page.text.slice(0, MAX_CHARACTERS) }] };
  const { read, found, forms } = readRulesAndDocument([...rules], document, { vectors, wordWeight });
  if (found.size === 0) return new Array<number>(rules.length + 1).fill(1 / (rules.length + 1));
  const catchAll = read.findIndex(({ isCatchAll }) => isCatchAll);
  const candidates = read.filter((_, at) => at !== catchAll);
  const probabilities = new Array<number>(rules.length + 1).fill(0);
  const rest = catchAll < 0 ? rules.length : catchAll;
  if (candidates.length === 0) {
    probabilities[rest] = 1;
    return probabilities;
  }
  const evidence = collectEvidence(candidates, found, vectors, forms);
  const signs = computeSigns(evidence, scoreRules(evidence, FITTED));
  const fit = 1 / (1 + Math.exp(-computeFitLogit(signs, FITTED)));
  const { order, shares } = decide(evidence, FITTED);
  for (const [rank, at] of order.entries()) {
    probabilities[read.indexOf(candidates[at]!)] = fit * shares[rank]!;
  }
  probabilities[rest]! += 1 - fit;
  return probabilities;
}
