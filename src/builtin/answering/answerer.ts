import { detectLanguage } from '#src/languages/detect.ts';
import { languages } from '#src/languages/registry.ts';
import { loadWordWeight } from '../word-weight.ts';
import { choose } from './choose.ts';
import { type AnswerNode, readingOf } from './reading.ts';

export type { AnswerNode } from './reading.ts';

export interface Answerer {
  readonly modelId: string;
  /**
   * The answer to each part of a question, in parts that join to a text; `[n]` cites the n-th node, counted from 1.
   * `question` is what it is said in, `parts` what is asked.
   */
  answer(input: {
    question: string;
    parts?: readonly string[];
    nodes: readonly AnswerNode[];
  }): AsyncIterable<string>;
}

interface Quoted {
  sentence: string;
  node: number;
}

/** Answers with the sentences of the nodes that are likeliest to say what the question asks, quoted and cited. */
export function builtinAnswerer(): Answerer {
  return {
    modelId: 'builtin/extractive-2',
    async *answer({ question, parts = [question], nodes }) {
      const said = new Set<string>();
      for (const part of parts) {
        for (const { sentence, node } of await quotesFor(part, nodes)) {
          if (said.has(sentence)) continue;
          yield `${said.size > 0 ? ' ' : ''}${sentence}`;
          yield ` [${node + 1}]`;
          said.add(sentence);
        }
      }
      if (said.size === 0) yield noAnswer(question);
    },
  };
}

/** Whether one of the nodes seems to answer. */
export async function seemsAnswered(question: string, nodes: readonly AnswerNode[]): Promise<boolean> {
  return (await quotesFor(question, nodes)).length > 0;
}

async function quotesFor(question: string, nodes: readonly AnswerNode[]): Promise<Quoted[]> {
  const reading = readingOf(question, nodes, await loadWordWeight());
  return choose(reading).map((index) => reading.candidates[index]!);
}

/** Says that nothing was found, in the language of the question if it is known, and otherwise in English. */
function noAnswer(question: string): string {
  return languages[detectLanguage(question) ?? 'en']?.noAnswer ?? languages.en!.noAnswer!;
}
