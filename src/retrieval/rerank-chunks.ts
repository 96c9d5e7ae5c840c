import { builtinReranker } from '#src/builtin/reranker.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { RerankCandidate, RerankResult } from '#src/ports/reranker.ts';
import type { RankedChunk, Report, RetrievalPorts } from './ports.ts';

/** Maximum number of chunks to rerank: 100 of each search arm. */
const MOST = 200;
/** Maximum number of chunks for a model, because hosted rerankers bill by the hundred. */
const MOST_FOR_MODEL = 100;

/** Reranks the best chunks. If the model fails, the built-in reranker replaces it and the notes say so. */
export async function rerankChunks<Ranked extends RankedChunk>(
  query: string,
  ranked: Ranked[],
  topN: number,
  ports: Pick<RetrievalPorts, 'reranker' | 'hiddenKeys' | 'ownHiddenKeys'>,
  { notes }: Pick<Report, 'notes'>,
): Promise<Ranked[]> {
  const considered = ranked.slice(0, MOST);
  if (considered.length === 0) return [];
  const results = await rerankCandidates(query, considered, topN, ports, notes);
  return results.map(({ id, score }) => {
    const found = considered[Number(id)]!;
    return { ...found, score, ...(found.parts && { parts: { ...found.parts, rerank: score } }) };
  });
}

async function rerankCandidates(
  query: string,
  considered: RankedChunk[],
  topN: number,
  ports: Pick<RetrievalPorts, 'reranker' | 'hiddenKeys' | 'ownHiddenKeys'>,
  notes: Report['notes'],
): Promise<RerankResult[]> {
  const { reranker } = ports;
  const builtin = builtinReranker();
  if (reranker.modelId !== builtin.modelId) {
    try {
      const first = considered.slice(0, MOST_FOR_MODEL);
      const own = await ports.ownHiddenKeys(first.map(({ chunk }) => chunk));
      const candidates = first.map((each, index) =>
        candidateOf(each, index, [...ports.hiddenKeys, ...(own.get(each.chunk.documentId) ?? [])]),
      );
      const results = await reranker.rerank(query, candidates, { topN: Math.min(topN, candidates.length) });
      notes.reranker = reranker.modelId;
      return results;
    } catch (error) {
      notes.reranker_fallback = `${reranker.modelId} failed: ${messageOf(error)}`;
    }
  }
  notes.reranker = builtin.modelId;
  // The built-in reranker sends nothing to others, so no metadata is hidden from it.
  const candidates = considered.map((each, index) => candidateOf(each, index, []));
  return builtin.rerank(query, candidates, { topN });
}

/** Uses list positions as ids, because chunks of several pipelines may have equal ids. */
function candidateOf(
  { chunk, score }: RankedChunk,
  index: number,
  hiddenKeys: readonly string[],
): RerankCandidate {
  const titleKey = chunk.metadata.file_name === undefined ? 'title' : 'file_name';
  return {
    id: String(index),
    text: chunk.text,
    headings: chunk.headings,
    title: hiddenKeys.includes(titleKey) ? '' : chunk.title,
    score,
    ...(chunk.language && { language: chunk.language }),
  };
}
