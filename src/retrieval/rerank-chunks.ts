import { builtinReranker } from '#src/builtin/reranker.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { RerankCandidate, RerankResult } from '#src/ports/reranker.ts';
import type { RankedChunk, Report, RetrievalPorts } from './ports.ts';

/** Chunks looked at, however few are wanted: all that a search can find, 100 an arm. */
const MOST = 200;
/** Models cost for each one; hosted ones are paid by the hundred. */
const MOST_FOR_MODEL = 100;

/** Reranks the head of the list. A model that fails is replaced by the built-in reranker, and the notes say so. */
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
  // What it reads stays here, so nothing is hidden from it.
  const candidates = considered.map((each, index) => candidateOf(each, index, []));
  return builtin.rerank(query, candidates, { topN });
}

/** Ids are places in the list: chunks of several pipelines may share theirs. */
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
