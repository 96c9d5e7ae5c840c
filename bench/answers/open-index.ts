import { type Call, preparePipeline } from '#bench/retrieval/client.ts';
import type { AnswerNode } from '#src/builtin/answering/answerer.ts';
import { getAnalysis } from '#src/builtin/terms.ts';
import type { WordCounts } from '#src/ports/index-types.ts';
import { splitIntoWords } from '#src/search/words.ts';

export interface FoundNode extends AnswerNode {
  documentId: string;
  start: number;
  end: number;
  score: number;
}

/** Index of the service, and what the answerer learns from it about a question. */
export interface OpenIndex {
  search(question: string): Promise<FoundNode[]>;
  /** Counts the documents that contain each word of the question, as the chat of the service does. */
  count(question: string): WordCounts;
}

interface Retrieved {
  retrieval_nodes: {
    score: number;
    node: { text: string; start_char_idx: number; end_char_idx: number; extra_info: { document_id: string } };
  }[];
}

/** Indexes documents in a pipeline with the given name. */
export async function openIndex(
  call: Call,
  name: string,
  documents: { id: string; text: string; metadata: Record<string, unknown> }[],
): Promise<OpenIndex> {
  const pipelineId = await preparePipeline(call, name, documents);
  const sample = documents
    .slice(0, 5)
    .map(({ text }) => text)
    .join('\n');
  const { terms } = getAnalysis(undefined, sample);
  const containing = new Map<string, number>();
  for (const { text, metadata } of documents) {
    for (const term of new Set(terms(`${metadata.title ?? ''}\n${text}`))) {
      containing.set(term, (containing.get(term) ?? 0) + 1);
    }
  }
  return {
    async search(query) {
      const answer = await call<Retrieved>('POST', `/api/v1/pipelines/${pipelineId}/retrieve`, { query });
      return answer.retrieval_nodes.map(({ score, node }) => ({
        text: node.text,
        documentId: node.extra_info.document_id,
        start: node.start_char_idx,
        end: node.end_char_idx,
        score,
      }));
    },
    count(question) {
      const stems = terms(question);
      const words = splitIntoWords(question).map((word, at): [string, number] => [
        word,
        containing.get(stems[at]!) ?? 0,
      ]);
      return { chunks: documents.length, containing: Object.fromEntries(words) };
    },
  };
}
