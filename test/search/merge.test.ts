import { expect, test } from 'vitest';
import type { ShardAnswer } from '#src/ports/shard.ts';
import { mergeAnswers, sumStatistics } from '#src/search/fan-out.ts';

test('sumStatistics adds shard statistics by term', () => {
  const sum = sumStatistics([
    { documentCount: 2, totalLength: 30, documentFrequency: { 'en:a': 1, 'en:b': 2 } },
    { documentCount: 1, totalLength: 7, documentFrequency: { 'en:b': 1 } },
  ]);
  expect(sum).toEqual({ documentCount: 3, totalLength: 37, documentFrequency: { 'en:a': 1, 'en:b': 3 } });
  expect(sumStatistics([])).toEqual({ documentCount: 0, totalLength: 0, documentFrequency: {} });
});

test('shard answers merge into one answer without unreferenced chunks', () => {
  const hit = (id: string, score: number) => ({ id, documentId: 'd', score });
  const buildShardAnswer = (prefix: string, scores: number[], timings: Record<string, number>) =>
    ({
      dense: scores.map((score, at) => hit(`${prefix}${at}`, score)),
      sparse: scores.map((score, at) => hit(`${prefix}${at}`, score * 2)),
      chunks: scores.map((_, at) => ({ id: `${prefix}${at}` })),
      timings,
    }) as unknown as ShardAnswer;
  const merged = mergeAnswers(
    [
      buildShardAnswer('a', [0.9, 0.3], { scan: 0.2 }),
      buildShardAnswer('b', [0.5, 0.4], { scan: 0.1, load: 0.3 }),
    ],
    { denseTopK: 2, sparseTopK: 3 },
  );
  expect(merged.dense.map(({ id }) => id)).toEqual(['a0', 'b0']);
  expect(merged.sparse.map(({ id }) => id)).toEqual(['a0', 'b0', 'b1']);
  expect(merged.chunks.map(({ id }) => id)).toEqual(['a0', 'b0', 'b1']);
  expect(merged.timings).toEqual({ scan: 0.2, load: 0.3 });
});
