import { sentences } from '#src/lib/sentences.ts';
import { noAnswer } from './no-answer.ts';
import { answerKindOf } from './question-kind.ts';
import { type Analysis, analysisFor } from './terms.ts';

export interface AnswerNode {
  text: string;
  /** ISO 639-1. */
  language?: string;
}

export interface Answerer {
  readonly modelId: string;
  /** The answer in parts that join to a text; `[n]` cites the n-th node, counted from 1. */
  answer(input: { question: string; nodes: AnswerNode[] }): AsyncIterable<string>;
}

const MOST_SENTENCES = 3;
/** Below this share of the question's rare words, a sentence is about something else. */
const LEAST_COVERAGE = 0.25;
/** Further sentences must be nearly as good as the best. */
const NEARLY = 0.75;
const LONGEST_SENTENCE = 600;

interface Candidate {
  sentence: string;
  node: number;
  terms: Set<string>;
  score: number;
  coverage: number;
}

/** Answers with the sentences of the nodes that hold most of what the question asks, quoted and cited. */
export function builtinAnswerer(): Answerer {
  return {
    modelId: 'builtin/extractive-1',
    async *answer({ question, nodes }) {
      const chosen = choose(question, nodes);
      if (chosen.length === 0) {
        yield noAnswer(question);
        return;
      }
      for (const [index, { sentence, node }] of chosen.entries()) {
        yield `${index > 0 ? ' ' : ''}${sentence}`;
        yield ` [${node + 1}]`;
      }
    },
  };
}

function choose(question: string, nodes: AnswerNode[]): Candidate[] {
  const first = nodes[0];
  if (!first) return [];
  const analysis = analysisFor(first.language, first.text);
  const asked = new Set(analysis.meaningful(question));
  const candidates = candidatesOf(nodes, analysis);
  const weights = rarities(asked, candidates);
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const holdsKind = answerKindOf(question);
  for (const candidate of candidates) {
    let found = 0;
    for (const [term, weight] of weights) if (candidate.terms.has(term)) found += weight;
    candidate.coverage = total === 0 ? 0 : found / total;
    const kind = holdsKind?.(candidate.sentence) ? 0.2 : 0;
    // Search put the nodes in order, and a sentence that only repeats the question tells nothing.
    const rank = 0.15 / (1 + candidate.node);
    const adds = candidate.terms.size > asked.size ? 0.05 : 0;
    candidate.score = candidate.coverage + kind + rank + adds;
  }
  const relevant = candidates
    .filter(({ coverage, sentence }) => coverage >= LEAST_COVERAGE && !sentence.endsWith('?'))
    .sort((a, b) => b.score - a.score);
  return distinct(relevant);
}

function candidatesOf(nodes: AnswerNode[], { terms }: Analysis): Candidate[] {
  return nodes.flatMap(({ text }, node) =>
    text
      .split(/\n(?=[^\S\n]*(?:[-*+•|#]|\d+[.)]\s))|\n[^\S\n]*\n/)
      .flatMap((block) => sentences(block))
      .map(readable)
      .filter((sentence) => sentence !== '')
      .map((sentence) => ({ sentence, node, terms: new Set(terms(sentence)), score: 0, coverage: 0 })),
  );
}

/** The sentence as running text, without Markdown's marks and the document's own citations, which are not the answer's. */
function readable(sentence: string): string {
  const plain = sentence
    .replace(/^[\s>]*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+)?/, '')
    .replace(/^\||\|$/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\| ?/g, ', ')
    .replace(/\*\*|__|`/g, '')
    .replace(/\s?\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\](?:\([^()]*\))?/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(plain)) return '';
  return plain.length > LONGEST_SENTENCE ? `${plain.slice(0, LONGEST_SENTENCE).trimEnd()}…` : plain;
}

function rarities(asked: Set<string>, candidates: Candidate[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const term of asked) {
    const containing = candidates.filter(({ terms }) => terms.has(term)).length;
    weights.set(term, Math.log(1 + (candidates.length + 1) / (containing + 1)));
  }
  return weights;
}

function distinct(sorted: Candidate[]): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of sorted) {
    if (chosen.length === MOST_SENTENCES || candidate.score < sorted[0]!.score * NEARLY) break;
    if (chosen.every((other) => overlap(other.terms, candidate.terms) < 0.8)) chosen.push(candidate);
  }
  return chosen;
}

function overlap(a: Set<string>, b: Set<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared++;
  return shared / Math.max(1, Math.min(a.size, b.size));
}
