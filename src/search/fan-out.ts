import type { SinkQuery } from '#src/ports/index-types.ts';
import type { Shard, ShardAnswer, ShardQuery, SplitDocuments, TermStatistics } from '#src/ports/shard.ts';
import { mergeArm } from './fusion.ts';

type QueriedShard = Pick<Shard, 'query' | 'statistics'>;

/**
 * Maximum number of attempts of a query while documents change. Documents that still change afterwards are
 * left out of the answer.
 */
const MAX_ATTEMPTS = 6;

/**
 * Versions of the documents that span several shards, as the last query found them. The next query asks for
 * these versions first.
 */
export interface KnownSplit {
  split: SplitDocuments;
}

/**
 * Queries all shards of an index in parallel and returns the answer that one large shard would give. The
 * first shard of a document that spans several shards decides which version is visible. If the shards
 * disagree with the query or with each other about these versions, all shards are queried again. After
 * `MAX_ATTEMPTS`, documents that still change are left out.
 */
export async function queryShards(
  shards: QueriedShard[],
  query: Omit<ShardQuery, 'statistics' | 'split'>,
  known: KnownSplit = { split: {} },
): Promise<ShardAnswer> {
  if (shards.length === 1) return shards[0]!.query(query);
  let { split } = known;
  for (let attempt = 1; ; attempt++) {
    const last = attempt > MAX_ATTEMPTS;
    let statistics: TermStatistics | undefined;
    if (query.text !== undefined) {
      // BM25 needs the statistics of the whole index. Otherwise a score would depend on the shard that holds
      // the document.
      let parts = await requestStatistics(shards, query.text, split);
      const decided = mergeDecided(parts);
      if (!last && listChangedDocuments(split, decided).length > 0) {
        split = decided;
        parts = await requestStatistics(shards, query.text, split);
      }
      statistics = sumStatistics(parts);
    }
    const queried: ShardQuery = { ...query, ...(statistics && { statistics }), ...toSplitOption(split) };
    const answers = await Promise.all(shards.map((shard) => shard.query(queried)));
    const decided = mergeDecided(answers.map((answer) => answer.split ?? {}));
    const disputed = findDisputed(answers, split, decided);
    if (disputed.size === 0 || last) {
      known.split = split;
      return mergeAnswers(answers, query);
    }
    split = decided;
    if (attempt === MAX_ATTEMPTS) {
      split = Object.fromEntries(Object.entries(decided).filter(([documentId]) => !disputed.has(documentId)));
    }
  }
}

function requestStatistics(
  shards: QueriedShard[],
  text: string,
  split: SplitDocuments,
): Promise<TermStatistics[]> {
  return Promise.all(shards.map((shard) => shard.statistics(text, toSplitOption(split).split)));
}

/** Omits `split` if the index has no documents that span several shards. */
function toSplitOption(split: SplitDocuments): { split?: SplitDocuments } {
  return Object.keys(split).length > 0 ? { split } : {};
}

function mergeDecided(parts: { decided?: SplitDocuments }[]): SplitDocuments {
  return Object.assign({}, ...parts.map((part) => part.decided));
}

function listChangedDocuments(queried: SplitDocuments, decided: SplitDocuments): string[] {
  return Object.keys({ ...queried, ...decided }).filter(
    (documentId) => queried[documentId]?.version !== decided[documentId]?.version,
  );
}

/**
 * Returns the documents that were queried in an outdated version, or for which the shards do not hold the
 * expected number of chunks.
 */
function findDisputed(answers: ShardAnswer[], queried: SplitDocuments, decided: SplitDocuments): Set<string> {
  const held = (documentId: string) =>
    answers.reduce((sum, { split }) => sum + (split?.held[documentId] ?? 0), 0);
  const torn = Object.keys(decided).filter((id) => held(id) !== decided[id]!.chunkCount);
  return new Set([...listChangedDocuments(queried, decided), ...torn]);
}

export function sumStatistics(parts: TermStatistics[]): TermStatistics {
  const sum: TermStatistics = { documentCount: 0, totalLength: 0, documentFrequency: {} };
  for (const part of parts) {
    sum.documentCount += part.documentCount;
    sum.totalLength += part.totalLength;
    for (const [term, frequency] of Object.entries(part.documentFrequency)) {
      sum.documentFrequency[term] = (sum.documentFrequency[term] ?? 0) + frequency;
    }
  }
  return sum;
}

/**
 * Merges the answers of the shards into the answer that one large shard would give. Each timing is the
 * maximum over the shards.
 */
export function mergeAnswers(
  answers: ShardAnswer[],
  query: Pick<SinkQuery, 'denseTopK' | 'sparseTopK'>,
): ShardAnswer {
  const dense = mergeArm(
    answers.map((answer) => answer.dense),
    query.denseTopK,
  );
  const sparse = mergeArm(
    answers.map((answer) => answer.sparse),
    query.sparseTopK,
  );
  const wanted = new Set([...dense, ...sparse].map((hit) => hit.id));
  const timings: Record<string, number> = {};
  for (const answer of answers) {
    for (const [stage, seconds] of Object.entries(answer.timings)) {
      timings[stage] = Math.max(timings[stage] ?? 0, seconds);
    }
  }
  const chunks = answers.flatMap((answer) => answer.chunks).filter((chunk) => wanted.has(chunk.id));
  const overtaken = answers.flatMap((answer) => answer.overtaken ?? []);
  // Every shard counted the words in the statistics of the whole index.
  const wordCounts = answers[0]?.wordCounts;
  return {
    dense,
    sparse,
    chunks,
    timings,
    ...(wordCounts && { wordCounts }),
    ...(overtaken.length > 0 && { overtaken }),
  };
}
