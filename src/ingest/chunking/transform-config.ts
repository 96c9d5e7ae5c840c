import { z } from 'zod';

// Shapes of the JSON Schema of transform configurations. zod cannot describe a union whose mode follows from
// other members, and a schema that requires the mode would reject valid input.

interface Shapes {
  auto: z.ZodObject;
  chunkers: { options: readonly z.ZodObject[] };
  segmenters: { options: readonly z.ZodObject[] };
}

type Schema = Record<string, unknown>;

const NOTHING = { type: 'null' };

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, NOTHING] });

const modeOf = ({ shape }: z.ZodObject) => String((shape.mode as z.ZodLiteral).value);

const object = (title: string, properties: Schema, required: string[] = []): Schema => ({
  title,
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

const isGiven = (name: string): Schema => ({ required: [name], properties: { [name]: { type: 'object' } } });

export const DEFAULT_CHUNK_SIZE = 1024;
export const DEFAULT_CHUNK_OVERLAP = 200;

const sizes = {
  chunk_size: z.number().int().positive().default(DEFAULT_CHUNK_SIZE),
  chunk_overlap: z.number().int().nonnegative().default(DEFAULT_CHUNK_OVERLAP),
};

/** Reduces a missing `chunk_overlap` for a small `chunk_size`, so that a size alone is always valid. */
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
 * Sets the missing `mode` of a variant. Every field of the specification is optional, and null counts as
 * missing.
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

/**
 * How a parsed document is split into chunks. Sizes are tokens, except for the `character` chunker, which
 * counts characters.
 */
export const transformConfig = z
  .record(z.string(), z.unknown())
  .meta(transformAsSent({ auto, chunkers, segmenters }))
  // The transform accepts anything; the preceding schema requires objects.
  .pipe(transform as z.ZodType<TransformConfig, Record<string, unknown>>);

/** The complete configuration, as it is stored and returned. */
export const storedTransformConfig = z
  .record(z.string(), z.unknown())
  .meta(transformAsStored({ auto, chunkers, segmenters }));

/**
 * Describes the input: every member may be missing or null, and so may the mode if another member or a
 * default implies it.
 */
function transformAsSent({ auto, chunkers, segmenters }: Shapes): Schema {
  const chunking_config = { anyOf: [...sent(chunkers.options, 'sentence'), NOTHING] };
  const segmentation_config = { anyOf: [...sent(segmenters.options, 'none'), NOTHING] };
  const parts = { chunking_config, segmentation_config };
  const sizes = sentShape(auto);
  return {
    description: 'Without a mode: advanced where a part of it is given, else auto.',
    anyOf: [
      object('auto', { ...sizes, mode: { const: 'auto' } }, ['mode']),
      object('auto, untold', {
        ...sizes,
        mode: NOTHING,
        chunking_config: NOTHING,
        segmentation_config: NOTHING,
      }),
      object('advanced', { ...parts, mode: { const: 'advanced' } }, ['mode']),
      { ...object('advanced, untold', { ...parts, mode: NOTHING }), anyOf: Object.keys(parts).map(isGiven) },
      // Null is for nullable uses. Elsewhere the type of the field excludes it.
      NOTHING,
    ],
  };
}

function transformAsStored({ auto, chunkers, segmenters }: Shapes): Schema {
  const advanced = {
    mode: { const: 'advanced' },
    chunking_config: { anyOf: chunkers.options.map(stored) },
    segmentation_config: { anyOf: segmenters.options.map(stored) },
  };
  return { anyOf: [stored(auto), object('advanced', advanced, Object.keys(advanced)), NOTHING] };
}

/** `told` is the mode of the shape that applies without a mode. */
function sent(options: readonly z.ZodObject[], told: string): Schema[] {
  return options.map((option) => {
    const { mode, ...members } = sentShape(option);
    const name = modeOf(option);
    if (name !== told) return object(name, { ...members, mode: { const: name } }, ['mode']);
    return object(name, { ...members, mode: orNull({ const: name }) });
  });
}

function sentShape(option: z.ZodObject): Record<string, Schema> {
  const { properties } = z.toJSONSchema(option, { io: 'input' });
  const members = Object.entries(properties as Record<string, Schema>);
  return Object.fromEntries(
    members.map(([name, { default: value, ...member }]) => [
      name,
      { ...orNull(member), ...(value !== undefined && { default: value }) },
    ]),
  );
}

function stored(option: z.ZodObject): Schema {
  const { $schema, additionalProperties, ...described } = z.toJSONSchema(option, { io: 'output' });
  return { title: modeOf(option), ...described };
}
