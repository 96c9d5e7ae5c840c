import type { Chunker, ChunkTools, Segment } from '#src/ingest/chunking/chunker.ts';
import { inTokens } from '#src/ingest/chunking/measure.ts';
import { Pace } from '#src/ingest/chunking/pace.ts';
import { pack, refine } from '#src/ingest/chunking/pack.ts';
import { type Range, trim } from '#src/ingest/chunking/ranges.ts';
import { bySentence, sentencesThenWords } from '#src/ingest/chunking/splitters.ts';
import type { ChunkingConfig } from '#src/ingest/chunking/transform-config.ts';

/**
 * Maximum tokens of a chunk. Embedding models truncate longer input, so even text about one subject is split.
 */
const LARGEST_CHUNK = 2048;
const EMBED_BATCH = 256;

/**
 * Splits between sentences where the subject changes: where the cosine distance of neighbouring windows
 * exceeds the given percentile of all distances. A window is a sentence with `buffer_size` neighbours on each
 * side.
 */
export function semanticChunker(config: Extract<ChunkingConfig, { mode: 'semantic' }>): Chunker {
  return {
    async split(segment, tools) {
      const sentences = bySentence(segment.text, { start: 0, end: segment.text.length }).filter(
        (range) => trim(segment.text, range).start < trim(segment.text, range).end,
      );
      if (sentences.length === 0) return [];
      const distances = await neighbourDistances(segment, sentences, config.buffer_size, tools);
      const threshold = percentile(distances, config.breakpoint_percentile_threshold);

      const chunks: Range[] = [];
      let start = sentences[0]!.start;
      for (const [index, sentence] of sentences.entries()) {
        const distance = distances[index];
        if (distance !== undefined && distance <= threshold) continue;
        chunks.push({ start, end: sentence.end });
        start = sentence.end;
      }
      return cutLarge(segment, chunks, tools);
    },
  };
}

async function neighbourDistances(
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
      if (previous) distances.push(1 - cosine(previous, vector));
      previous = vector;
    }
  }
  return distances;
}

async function cutLarge({ text, startChar }: Segment, chunks: Range[], tools: ChunkTools) {
  const pace = new Pace(tools);
  const measure = await inTokens(text, tools, pace);
  const budget = { measure, limit: LARGEST_CHUNK, overlap: 0, pace };
  const cut: Range[] = [];
  for (const chunk of chunks) {
    if (measure.size(chunk.start, chunk.end) <= LARGEST_CHUNK) cut.push(trim(text, chunk));
    else {
      const pieces = await refine(text, chunk, budget, sentencesThenWords);
      for (const part of await pack(text, pieces, budget)) cut.push(part);
    }
  }
  return cut.map(({ start, end }) => ({ startChar: startChar + start, endChar: startChar + end }));
}

function cosine(a: Float32Array, b: Float32Array): number {
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

/** Returns a percentile by linear interpolation between the two nearest ranks. */
function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (percent / 100) * (sorted.length - 1);
  const low = sorted[Math.floor(rank)]!;
  const high = sorted[Math.ceil(rank)]!;
  return low + (high - low) * (rank - Math.floor(rank));
}
