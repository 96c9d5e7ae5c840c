import { hasWord } from '#src/builtin/embedder.ts';
import { DomainError, Unavailable } from '#src/lib/errors.ts';
import type { Filters, SinkAnswer, SinkQuery } from '#src/ports/index-types.ts';
import { type Sink, SinkError } from '#src/ports/sink.ts';
import type { RankedChunk, Report, RetrievalPorts } from '#src/retrieval/ports.ts';
import { rerankChunks } from '#src/retrieval/rerank-chunks.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { fuse } from '#src/search/fusion.ts';

const isBuiltin = (embedderId: string) => embedderId.startsWith('builtin/');

export async function searchChunks(
  query: string,
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  const { sink, embedder } = ports;
  const hasSparse = sink.capabilities.sparse === 'native';
  const alpha = hasSparse ? (parameters.alpha ?? getDefaultAlpha(embedder.modelId)) : 1;
  if (!hasSparse) report.notes.sparse = 'none: the data sink of the pipeline only supports dense search';
  report.notes.alpha = String(alpha);
  if (alpha <= 0 && parameters.dense_similarity_cutoff > 0) {
    report.notes.dense_similarity_cutoff = 'no effect: with an alpha of 0, there is no dense search';
  }
  report.notes.sink = sink.kind;
  report.notes.embedding = embedder.modelId;
  // The built-in embedder maps every text without words to the same vector, so dense search would return
  // arbitrary chunks.
  const hasNoWords = isBuiltin(embedder.modelId) && !hasWord(query);
  if (hasNoWords) report.notes.query = 'the query contains no words';
  const hasDense = alpha > 0 && !hasNoWords;
  const [vectors, sparseQuery] = await Promise.all([
    hasDense ? report.timed('embedding', () => embedder.embed([query], 'query')) : [],
    alpha < 1 ? readSparseQuery(query, ports, report, hasDense) : {},
  ]);
  const [vector] = vectors;
  const answer = await report.timed('search', () =>
    querySink(sink, {
      ...(vector && { vector }),
      ...sparseQuery,
      denseTopK: parameters.dense_similarity_top_k,
      sparseTopK: parameters.sparse_similarity_top_k,
      ...(filters && { filters }),
    }),
  );
  Object.assign(report.latency, answer.timings);
  if (answer.wordCounts) report.wordCounts = answer.wordCounts;
  if (answer.warning) report.notes.warning = `Only sparse search answered: ${answer.warning}`;
  const byId = new Map(answer.chunks.map((chunk) => [chunk.id, chunk]));
  const { dense, sparse } = answer;
  return fuse(dense, sparse, alpha, parameters.dense_similarity_cutoff).flatMap((hit) => {
    const chunk = byId.get(hit.id);
    const parts = { dense: hit.dense ?? null, sparse: hit.sparse ?? null, rerank: null };
    return chunk ? [{ chunk, score: hit.score, parts }] : [];
  });
}

/**
 * Returns what sparse search looks for: the words of the query, or the weights that a learned sparse model gives. If the
 * model fails and there is a dense search, returns nothing and adds a warning.
 */
async function readSparseQuery(
  query: string,
  { sparse }: RetrievalPorts,
  report: Report,
  hasDense: boolean,
): Promise<Pick<SinkQuery, 'text' | 'weights'>> {
  if (!sparse) return { text: query };
  report.notes.sparse = 'splade';
  try {
    const [weights] = await report.timed('sparse_embedding', () => sparse.embed([query], 'query'));
    return { weights: weights! };
  } catch (error) {
    if (!hasDense || !(error instanceof DomainError)) throw error;
    report.notes.warning = `Only dense search answered: ${error.message}`;
    return {};
  }
}

/**
 * Queries the data sink. If its vector store does not answer, falls back to sparse search with a warning.
 * Throws `Unavailable` with the reason if the query has no keywords.
 */
async function querySink(sink: Sink, query: SinkQuery): Promise<SinkAnswer> {
  try {
    return await sink.query(query);
  } catch (error) {
    const isSilent = error instanceof SinkError && (error.retryable || error.status === 404);
    if (!isSilent || !query.vector) throw error;
    throw new Unavailable(error.message, error);
  }
}

/**
 * Implements the mode `chunks`: searches, and reranks down to `rerank_top_n` unless reranking is disabled.
 */
export async function retrieveChunks(
  query: string,
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  const found = await searchChunks(query, parameters, filters, ports, report);
  if (!parameters.enable_reranking || found.length === 0) return found;
  report.candidates = found;
  return report.timed('rerank', () => rerankChunks(query, found, parameters.rerank_top_n, ports, report));
}

/**
 * Returns the default weight of dense search. The built-in embedder knows little more than BM25, namely word
 * forms. On public data sets (docs/explanation/how-retrieval-works.md) a small weight helped and a large
 * weight harmed.
 */
export function getDefaultAlpha(embedderId: string): number {
  return isBuiltin(embedderId) ? 0.08 : 0.5;
}
