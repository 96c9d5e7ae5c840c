import { messageOf } from '../../errors.ts';
import { builtinReranker } from '../../models/builtin/reranker.ts';
import type { RankedChunk, Report, RetrievalPorts } from '../ports.ts';
import type { RerankCandidate, RerankResult } from './reranker.ts';

/** Chunks looked at for each one that may be returned. */
const DEPTH = 5;

/** Reranks the head of the list. A model that fails is replaced by the built-in reranker, and the notes say so. */
export async function rerankChunks(
  query: string,
  ranked: RankedChunk[],
  topN: number,
  ports: Pick<RetrievalPorts, 'reranker' | 'hiddenKeys' | 'ownHiddenKeys'>,
  { notes }: Pick<Report, 'notes'>,
): Promise<RankedChunk[]> {
  const considered = ranked.slice(0, topN * DEPTH);
  const byId = new Map(considered.map((each) => [each.chunk.id, each.chunk]));
  const results = await rerankCandidates(query, considered, topN, ports, notes);
  return results.flatMap(({ id, score }) => {
    const chunk = byId.get(id);
    return chunk ? [{ chunk, score }] : [];
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
      const own = await ports.ownHiddenKeys(considered.map(({ chunk }) => chunk));
      const candidates = considered.map((each) =>
        candidateOf(each, [...ports.hiddenKeys, ...(own.get(each.chunk.documentId) ?? [])]),
      );
      const results = await reranker.rerank(query, candidates, { topN });
      notes.reranker = reranker.modelId;
      return results;
    } catch (error) {
      notes.reranker_fallback = `${reranker.modelId} failed: ${messageOf(error)}`;
    }
  }
  notes.reranker = builtin.modelId;
  // What it reads stays here, so nothing is hidden from it.
  const candidates = considered.map((each) => candidateOf(each, []));
  return builtin.rerank(query, candidates, { topN });
}

function candidateOf({ chunk, score }: RankedChunk, hiddenKeys: readonly string[]): RerankCandidate {
  const titleKey = chunk.metadata.file_name === undefined ? 'title' : 'file_name';
  return {
    id: chunk.id,
    text: chunk.text,
    headings: chunk.headings,
    title: hiddenKeys.includes(titleKey) ? '' : chunk.title,
    score,
    ...(chunk.language && { language: chunk.language }),
  };
}
