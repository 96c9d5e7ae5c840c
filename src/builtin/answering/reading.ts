import { answerKindOf } from '../question-kind.ts';
import { type Analysis, analysisFor } from '../terms.ts';
import type { WordWeight } from '../word-weight.ts';
import { type AskedTerm, askedTerms } from './asked-terms.ts';
import { type Candidate, candidatesOf } from './candidates.ts';
import { type Evidence, evidenceFor } from './evidence.ts';
import { splitHeaderRows } from './table-headers.ts';

export interface AnswerNode {
  text: string;
  /** ISO 639-1. */
  language?: string;
  title?: string;
  headings?: readonly string[];
}

/** Characters that are read of all nodes together: whole files may be found. */
const MOST_TEXT = 200_000;

/** A question held against what was found for it. */
export interface Reading {
  asked: AskedTerm[];
  candidates: Candidate[];
  /** Of each candidate. */
  evidence: Evidence[];
  /** Terms of each node, with its title and headings. */
  nodes: ReadonlySet<string>[];
}

export function readingOf(question: string, nodes: readonly AnswerNode[], wordWeight: WordWeight): Reading {
  const [first] = nodes;
  const analysis = analysisFor(first?.language, first?.text ?? question);
  const share = Math.floor(MOST_TEXT / Math.max(1, nodes.length));
  const candidates = nodes
    .flatMap(({ text }, node) => candidatesOf(text.slice(0, share), node, analysis))
    .filter(({ sentence }) => !/[?？؟]$/u.test(sentence));
  const sets = candidates.map(({ terms }) => new Set(terms));
  const asked = askedTerms(question, sets, analysis, wordWeight);
  const whole = nodes.map((node, index) => termsOf(node, index, candidates, analysis));
  const evidence = evidenceFor(asked, { nodes: whole, candidates }, answerKindOf(question));
  return { asked, candidates, evidence, nodes: whole };
}

function termsOf(
  { text, title = '', headings = [] }: AnswerNode,
  index: number,
  candidates: readonly Candidate[],
  analysis: Analysis,
): Set<string> {
  const above = analysis.terms([title, ...headings, ...splitHeaderRows(text).headers].join('\n'));
  return new Set([...above, ...candidates.flatMap(({ node, terms }) => (node === index ? terms : []))]);
}
