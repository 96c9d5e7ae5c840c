import { createBuiltinReranker } from '#src/builtin/reranker.ts';
import { modelOrBuiltin } from '#src/ports/model-or-builtin.ts';
import type { RerankCandidate, RerankResult } from '#src/ports/reranker.ts';
import type { RankedChunk, Report, RetrievalPorts } from './ports.ts';

/** Maximum number of chunks to rerank: 100 from dense search and 100 from sparse search. */
const MAX_CHUNKS = 200;
/** Maximum number of chunks that are sent to a hosted reranker. Hosted rerankers bill per hundred chunks. */
const MAX_MODEL_CHUNKS = 100;

/** Reranks the best chunks. If the model fails, the built-in reranker replaces it and a note is added. */
export async function rerankChunks<Ranked extends RankedChunk>(
  query: string,
  ranked: Ranked[],
  topN: number,
  ports: Pick<RetrievalPorts, 'reranker' | 'hiddenKeys' | 'readDocumentHiddenKeys'>,
  { notes }: Pick<Report, 'notes'>,
): Promise<Ranked[]> {
  const considered = ranked.slice(0, MAX_CHUNKS);
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
  ports: Pick<RetrievalPorts, 'reranker' | 'hiddenKeys' | 'readDocumentHiddenKeys'>,
  notes: Report['notes'],
): Promise<RerankResult[]> {
  const { reranker } = ports;
  const builtin = createBuiltinReranker();
  const askModel = async () => {
    const first = considered.slice(0, MAX_MODEL_CHUNKS);
    const own = await ports.readDocumentHiddenKeys(first.map(({ chunk }) => chunk));
    const candidates = first.map((each, index) =>
      toCandidate(each, index, [...ports.hiddenKeys, ...(own.get(each.chunk.documentId) ?? [])]),
    );
    return reranker.rerank(query, candidates, { topN: Math.min(topN, candidates.length) });
  };
  // The built-in reranker sends nothing to other services, so no metadata is hidden from it.
  const askBuiltin = () =>
    builtin.rerank(
      query,
      considered.map((each, index) => toCandidate(each, index, [])),
      { topN },
    );
  return modelOrBuiltin(
    'reranker',
    notes,
    reranker.modelId === builtin.modelId ? undefined : { name: reranker.modelId, run: askModel },
    { name: builtin.modelId, run: askBuiltin },
  );
}

/** Uses list positions as ids, because chunks of several pipelines may have equal ids. */
function toCandidate(
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
