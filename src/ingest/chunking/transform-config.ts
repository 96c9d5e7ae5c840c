import { z } from 'zod';
import { transformAsSent, transformAsStored } from './transform-description.ts';

export const DEFAULT_CHUNK_SIZE = 1024;
export const DEFAULT_CHUNK_OVERLAP = 200;

const sizes = {
  chunk_size: z.number().int().positive().default(DEFAULT_CHUNK_SIZE),
  chunk_overlap: z.number().int().nonnegative().default(DEFAULT_CHUNK_OVERLAP),
};

/** `chunk_overlap` left out shrinks with a small `chunk_size`, so that a size alone is always a valid input. */
function overlapFits(input: unknown): unknown {
  if (!isRecord(input) || input.chunk_overlap !== undefined || typeof input.chunk_size !== 'number') {
    return input;
  }
  const fitting = Math.floor((input.chunk_size * DEFAULT_CHUNK_OVERLAP) / DEFAULT_CHUNK_SIZE);
  return { ...input, chunk_overlap: Math.max(0, Math.min(DEFAULT_CHUNK_OVERLAP, fitting)) };
}

function rejectLargeOverlap(context: z.core.ParsePayload<unknown>): void {
  const value = context.value;
  if (!isRecord(value)) return;
  const { chunk_size: size, chunk_overlap: overlap } = value;
  if (typeof size !== 'number' || typeof overlap !== 'number' || overlap < size) return;
  context.issues.push({
    code: 'custom',
    path: ['chunk_overlap'],
    input: overlap,
    message: `chunk_overlap (${overlap}) must be smaller than chunk_size (${size})`,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Fills in a variant's `mode` where a client left it out: every field of the specification is optional, and null
 * says the same as leaving a field out.
 */
const withMode = (choose: (input: Record<string, unknown>) => string) => (input: unknown) => {
  if (!isRecord(input)) return input;
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  return given.mode === undefined ? { ...given, mode: choose(given) } : given;
};

const chunkers = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('none') }),
  z.object({ mode: z.literal('character'), ...sizes }),
  z.object({ mode: z.literal('token'), ...sizes, separator: z.string().default(' ') }),
  z.object({
    mode: z.literal('sentence'),
    ...sizes,
    separator: z.string().default(' '),
    paragraph_separator: z.string().default('\n\n\n'),
  }),
  z.object({
    mode: z.literal('semantic'),
    buffer_size: z.number().int().nonnegative().max(10).default(1),
    breakpoint_percentile_threshold: z.number().min(0).max(100).default(95),
  }),
]);

const chunkingConfig = z.preprocess(
  (input) => overlapFits(withMode(() => 'sentence')(input)),
  chunkers.check(rejectLargeOverlap),
);
export type ChunkingConfig = z.infer<typeof chunkingConfig>;

const segmenters = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('none') }),
  z.object({ mode: z.literal('page'), page_separator: z.string().default('\n---\n') }),
  z.object({ mode: z.literal('element') }),
]);

const segmentationConfig = z.preprocess(
  withMode(() => 'none'),
  segmenters,
);
export type SegmentationConfig = z.infer<typeof segmentationConfig>;

const auto = z.object({ mode: z.literal('auto'), ...sizes });

const transform = z.preprocess(
  (input) =>
    overlapFits(
      withMode((given) =>
        given.chunking_config === undefined && given.segmentation_config === undefined ? 'auto' : 'advanced',
      )(input),
    ),
  z
    .discriminatedUnion('mode', [
      auto,
      z.object({
        mode: z.literal('advanced'),
        chunking_config: chunkingConfig.default(() => chunkingConfig.parse({})),
        segmentation_config: segmentationConfig.default({ mode: 'none' }),
      }),
    ])
    .check(rejectLargeOverlap),
);
export type TransformConfig = z.infer<typeof transform>;

/** How a parsed document becomes chunks. Sizes are tokens, but characters for the `character` chunker. */
export const transformConfig = z
  .record(z.string(), z.unknown())
  .meta(transformAsSent({ auto, chunkers, segmenters }))
  // It takes anything; what it is piped from says objects.
  .pipe(transform as z.ZodType<TransformConfig, Record<string, unknown>>);

/** As it is stored and shown: complete. */
export const storedTransformConfig = z
  .record(z.string(), z.unknown())
  .meta(transformAsStored({ auto, chunkers, segmenters }));
