import { mergeAnswers, sumStatistics } from './merge.ts';
import type { Shard, ShardAnswer, ShardQuery, SplitDocuments } from './types.ts';

type Asked = Pick<Shard, 'query' | 'statistics'>;

/** How often a query is asked again because documents changed under it. */
const ATTEMPTS = 6;

/**
 * Asks all shards of an index in parallel; the answer is what one large shard would have given. Documents that live
 * in several shards are asked for in the version that their first shard names: as soon as the shards disagree, with
 * the query or with each other, all of them are asked again. A document that is never settled is left out.
 */
export async function queryShards(shards: Asked[], query: ShardQuery): Promise<ShardAnswer> {
  if (shards.length === 1) return shards[0]!.query(query);
  let split: SplitDocuments = {};
  for (let attempt = 1; ; attempt++) {
    const answers = await askAll(shards, Object.keys(split).length > 0 ? { ...query, split } : query);
    const decided = Object.assign({}, ...answers.map((answer) => answer.split?.decided)) as SplitDocuments;
    const disputed = disputedIn(answers, split, decided);
    if (disputed.size === 0 || attempt > ATTEMPTS) return mergeAnswers(answers, query);
    split = decided;
    if (attempt === ATTEMPTS) {
      split = Object.fromEntries(Object.entries(decided).filter(([documentId]) => !disputed.has(documentId)));
    }
  }
}

async function askAll(shards: Asked[], query: ShardQuery): Promise<ShardAnswer[]> {
  const { text, split } = query;
  if (text === undefined) return Promise.all(shards.map((shard) => shard.query(query)));
  // BM25 needs the figures of the whole index, else a result would depend on where its document lives.
  const statistics = sumStatistics(await Promise.all(shards.map((shard) => shard.statistics(text, split))));
  return Promise.all(shards.map((shard) => shard.query({ ...query, statistics })));
}

/** The documents in several shards that were not asked for as they are now, or not whole. */
function disputedIn(answers: ShardAnswer[], asked: SplitDocuments, decided: SplitDocuments): Set<string> {
  const held = (documentId: string) =>
    answers.reduce((sum, { split }) => sum + (split?.held[documentId] ?? 0), 0);
  const disputed = Object.keys({ ...asked, ...decided }).filter(
    (documentId) =>
      asked[documentId]?.version !== decided[documentId]?.version ||
      held(documentId) !== decided[documentId]?.chunkCount,
  );
  return new Set(disputed);
}
