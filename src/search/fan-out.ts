import type { SinkQuery } from '#src/ports/index-types.ts';
import type { Shard, ShardAnswer, ShardQuery, SplitDocuments, TermStatistics } from '#src/ports/shard.ts';
import { mergeArm } from './fusion.ts';

type Asked = Pick<Shard, 'query' | 'statistics'>;

/** How often a query is asked again because documents changed under it. */
const ATTEMPTS = 6;

/** The documents in several shards as a query last found them: where the next one begins. */
export interface Settled {
  split: SplitDocuments;
}

/**
 * Asks all shards of an index in parallel; the answer is what one large shard would have given. Documents that live
 * in several shards are asked for in the version that their first shard names: as soon as the shards disagree, with
 * the query or with each other, all of them are asked again. A document that is never settled is left out.
 */
export async function queryShards(
  shards: Asked[],
  query: Omit<ShardQuery, 'statistics' | 'split'>,
  settled: Settled = { split: {} },
): Promise<ShardAnswer> {
  if (shards.length === 1) return shards[0]!.query(query);
  let { split } = settled;
  for (let attempt = 1; ; attempt++) {
    const last = attempt > ATTEMPTS;
    let statistics: TermStatistics | undefined;
    if (query.text !== undefined) {
      // BM25 needs the figures of the whole index, else a result would depend on where its document lives.
      let parts = await askStatistics(shards, query.text, split);
      const decided = decidedBy(parts);
      if (!last && changed(split, decided).length > 0) {
        split = decided;
        parts = await askStatistics(shards, query.text, split);
      }
      statistics = sumStatistics(parts);
    }
    const asked: ShardQuery = { ...query, ...(statistics && { statistics }), ...shown(split) };
    const answers = await Promise.all(shards.map((shard) => shard.query(asked)));
    const decided = decidedBy(answers.map((answer) => answer.split ?? {}));
    const disputed = disputedIn(answers, split, decided);
    if (disputed.size === 0 || last) {
      settled.split = split;
      return mergeAnswers(answers, query);
    }
    split = decided;
    if (attempt === ATTEMPTS) {
      split = Object.fromEntries(Object.entries(decided).filter(([documentId]) => !disputed.has(documentId)));
    }
  }
}

function askStatistics(shards: Asked[], text: string, split: SplitDocuments): Promise<TermStatistics[]> {
  return Promise.all(shards.map((shard) => shard.statistics(text, shown(split).split)));
}

/** An index without such documents is asked for none. */
function shown(split: SplitDocuments): { split?: SplitDocuments } {
  return Object.keys(split).length > 0 ? { split } : {};
}

function decidedBy(parts: { decided?: SplitDocuments }[]): SplitDocuments {
  return Object.assign({}, ...parts.map((part) => part.decided));
}

function changed(asked: SplitDocuments, decided: SplitDocuments): string[] {
  return Object.keys({ ...asked, ...decided }).filter(
    (documentId) => asked[documentId]?.version !== decided[documentId]?.version,
  );
}

/** The documents in several shards that were not asked for as they are now, or not whole. */
function disputedIn(answers: ShardAnswer[], asked: SplitDocuments, decided: SplitDocuments): Set<string> {
  const held = (documentId: string) =>
    answers.reduce((sum, { split }) => sum + (split?.held[documentId] ?? 0), 0);
  const torn = Object.keys(decided).filter((id) => held(id) !== decided[id]!.chunkCount);
  return new Set([...changed(asked, decided), ...torn]);
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

/** The answer one large shard would have given. Timings are those of the slowest shard. */
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
  return { dense, sparse, chunks, timings, ...(overtaken.length > 0 && { overtaken }) };
}
