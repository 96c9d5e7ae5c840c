import type { SinkQuery } from '#src/ports/index-types.ts';
import type { ShardAnswer, TermStatistics } from '#src/ports/shard.ts';
import { mergeArm } from './fusion.ts';

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
