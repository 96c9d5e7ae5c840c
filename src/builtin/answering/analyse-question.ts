import { detectLanguage } from '#src/languages/detect.ts';
import type { WordCounts } from '#src/ports/index-types.ts';
import { type Analysis, getAnalysis } from '../terms.ts';
import type { WordWeight } from '../word-weight.ts';
import { findAnswerTest } from './asked-kind.ts';
import { type Candidate, listCandidates } from './candidates.ts';
import { collectEvidence, type Evidence } from './evidence.ts';
import { type QuestionTerm, weighQuestionTerms } from './question-terms.ts';
import { splitHeaderRows } from './table-headers.ts';

export interface AnswerNode {
  text: string;
  /** ISO 639-1 code. */
  language?: string;
  title?: string;
  headings?: readonly string[];
  /** Id of the document, and position of the text in it. The first character has position 0. */
  documentId?: string;
  startChar?: number;
}

/**
 * Maximum number of characters that are read from all nodes together. The limit is needed because a node may
 * contain a whole file.
 */
const MAX_CHARACTERS = 200_000;

/** A question, analysed together with the nodes that were found for it. */
export interface AnalysedQuestion {
  questionTerms: QuestionTerm[];
  candidates: Candidate[];
  /** Evidence for each candidate, in the order of `candidates`. */
  evidence: Evidence[];
  /** Terms of each node, including its title and headings. */
  nodes: ReadonlySet<string>[];
}

export function analyseQuestion(
  question: string,
  nodes: readonly AnswerNode[],
  wordWeight: WordWeight,
  counts?: WordCounts,
): AnalysedQuestion {
  const [first] = nodes;
  const analysis = getAnalysis(first?.language, first?.text ?? question);
  const share = Math.floor(MAX_CHARACTERS / Math.max(1, nodes.length));
  const candidates = nodes
    .flatMap(({ text }, node) => listCandidates(text.slice(0, share), node, analysis))
    .filter((candidate) => !/[?？؟]$/u.test(candidate.sentence) && !isCut(candidate, nodes));
  const sets = candidates.map(({ terms }) => new Set(terms));
  const language = first?.language ?? detectLanguage(first?.text ?? question);
  const questionTerms = weighQuestionTerms(question, sets, analysis, wordWeight, counts);
  const whole = nodes.map((node, index) => listNodeTerms(node, index, candidates, analysis));
  const evidence = collectEvidence(
    questionTerms,
    { nodes: whole, candidates },
    findAnswerTest(question, language),
  );
  return { questionTerms, candidates, evidence, nodes: whole };
}

/** Returns whether a sentence is the end of a sentence that begins in the chunk before. */
const isCut = ({ sentence, node, at }: Candidate, nodes: readonly AnswerNode[]) =>
  at === 0 && (nodes[node]!.startChar ?? 0) > 0 && /^\p{Ll}/u.test(sentence);

function listNodeTerms(
  { text, title = '', headings = [] }: AnswerNode,
  index: number,
  candidates: readonly Candidate[],
  analysis: Analysis,
): Set<string> {
  const above = analysis.terms([title, ...headings, ...splitHeaderRows(text).headers].join('\n'));
  return new Set([...above, ...candidates.flatMap(({ node, terms }) => (node === index ? terms : []))]);
}
