import { detectLanguage } from '#src/languages/detect.ts';
import { languages } from '#src/languages/registry.ts';
import type { WordCounts } from '#src/ports/index-types.ts';
import { loadWordWeight } from '../word-weight.ts';
import { type AnswerNode, analyseQuestion } from './analyse-question.ts';
import { chooseSentences } from './choose.ts';
import { quoteOpening } from './opening.ts';
import { asksForWholeDocument } from './whole-document.ts';

export type { AnswerNode } from './analyse-question.ts';

export interface Answerer {
  readonly modelId: string;
  /**
   * Yields the text of the answers to the questions in `parts`, piece by piece. `[n]` cites the n-th node,
   * counted from 1. If nothing is found, the reply is in the language of `question`.
   */
  answer(input: {
    question: string;
    parts?: readonly string[];
    nodes: readonly AnswerNode[];
    /** Statistics of the index that was searched, if it has any. */
    counts?: WordCounts | undefined;
  }): AsyncIterable<string>;
}

interface Quote {
  sentence: string;
  node: number;
}

/** Creates an answerer that quotes and cites the sentences that are most likely to answer the question. */
export function createBuiltinAnswerer(): Answerer {
  return {
    modelId: 'builtin/extractive-3',
    async *answer({ question, parts = [question], nodes, counts }) {
      const quoted = new Set<string>();
      for (const part of parts) {
        for (const { sentence, node } of await findQuotes(part, nodes, counts)) {
          if (quoted.has(sentence)) continue;
          yield `${quoted.size > 0 ? ' ' : ''}${sentence}`;
          yield ` [${node + 1}]`;
          quoted.add(sentence);
        }
      }
      if (quoted.size === 0) yield getNoAnswerText(question);
    },
  };
}

/** Returns whether one of the nodes seems to answer the question. */
export async function hasAnswer(
  question: string,
  nodes: readonly AnswerNode[],
  counts?: WordCounts,
): Promise<boolean> {
  return (await findQuotes(question, nodes, counts)).length > 0;
}

async function findQuotes(
  question: string,
  nodes: readonly AnswerNode[],
  counts?: WordCounts,
): Promise<Quote[]> {
  if (asksForWholeDocument(question)) return quoteOpening(nodes);
  const reading = analyseQuestion(question, nodes, await loadWordWeight(), counts);
  return chooseSentences(reading).map((index) => reading.candidates[index]!);
}

/**
 * Returns the text that says that nothing was found. It is in the language of the question if that is known,
 * and otherwise in English.
 */
function getNoAnswerText(question: string): string {
  return languages[detectLanguage(question) ?? 'en']?.noAnswer ?? languages.en!.noAnswer!;
}
