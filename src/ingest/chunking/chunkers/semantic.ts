import type { Chunker, ChunkTools, Segment } from '#src/ingest/chunking/chunker.ts';
import { createTokenMeasure } from '#src/ingest/chunking/measure.ts';
import { Pace } from '#src/ingest/chunking/pace.ts';
import { pack, refine } from '#src/ingest/chunking/pack.ts';
import { type Range, trim } from '#src/ingest/chunking/ranges.ts';
import { bySentence, sentenceSplitters } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';

/**
 * Maximum number of tokens of a chunk. Embedding models truncate longer input, so even text about one subject
 * is split.
 */
const MAX_CHUNK_TOKENS = 2048;
const EMBED_BATCH = 256;

/**
 * Creates chunks that end where the subject of the text changes. The subject changes between two sentences if
 * the cosine distance of their windows exceeds the given percentile of all distances. A window is a sentence
 * with `buffer_size` neighbours on each side.
 */
export function semanticChunker(config: Extract<ChunkingConfig, { mode: 'semantic' }>): Chunker {
  return {
    async split(segment, tools) {
      const sentences = bySentence(segment.text, { start: 0, end: segment.text.length }).filter(
        (range) => trim(segment.text, range).start < trim(segment.text, range).end,
      );
      if (sentences.length === 0) return [];
      const distances = await computeDistances(segment, sentences, config.buffer_size, tools);
      const threshold = computePercentile(distances, config.breakpoint_percentile_threshold);

      const chunks: Range[] = [];
      let start = sentences[0]!.start;
      for (const [index, sentence] of sentences.entries()) {
        const distance = distances[index];
        if (distance !== undefined && distance <= threshold) continue;
        chunks.push({ start, end: sentence.end });
        start = sentence.end;
      }
      return splitLargeChunks(segment, chunks, tools);
    },
  };
}

async function computeDistances(
  { text }: Segment,
  sentences: Range[],
  buffer: number,
  tools: ChunkTools,
): Promise<number[]> {
  const distances: number[] = [];
  let previous: Float32Array | undefined;
  for (let from = 0; from < sentences.length; from += EMBED_BATCH) {
    const windows: string[] = [];
    for (let index = from; index < Math.min(from + EMBED_BATCH, sentences.length); index++) {
      const first = sentences[Math.max(0, index - buffer)]!;
      const last = sentences[Math.min(sentences.length - 1, index + buffer)]!;
      windows.push(text.slice(first.start, last.end).trim());
    }
    await tools.pause();
    for (const vector of await tools.embed(windows)) {
      if (previous) distances.push(1 - computeCosine(previous, vector));
      previous = vector;
    }
  }
  return distances;
}

async function splitLargeChunks({ text, startChar }: Segment, chunks: Range[], tools: ChunkTools) {
  const pace = new Pace(tools);
  const measure = await createTokenMeasure(text, tools, pace);
  const budget = { measure, limit: MAX_CHUNK_TOKENS, overlap: 0, pace };
  const cut: Range[] = [];
  for (const chunk of chunks) {
    if (measure.size(chunk.start, chunk.end) <= MAX_CHUNK_TOKENS) cut.push(trim(text, chunk));
    else {
      const pieces = await refine(text, chunk, budget, sentenceSplitters);
      for (const part of await pack(text, pieces, budget)) cut.push(part);
    }
  }
  return cut.map(({ start, end }) => ({ startChar: startChar + start, endChar: startChar + end }));
}

function computeCosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

/** Returns a percentile of the values, with linear interpolation between the two nearest ranks. */
function computePercentile(values: readonly number[], percent: number): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (percent / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(rank)]!;
  const high = sorted[Math.ceil(rank)]!;
  return low + (high - low) * (rank - Math.floor(rank));
}
