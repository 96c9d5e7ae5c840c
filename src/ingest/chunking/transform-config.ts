import { z } from 'zod';

// Schemas from which the JSON Schema of transform configurations is built by hand. zod cannot describe a
// union whose mode follows from other fields. A schema that requires the mode would reject valid input.

interface Shapes {
  auto: z.ZodObject;
  chunkers: { options: readonly z.ZodObject[] };
  segmenters: { options: readonly z.ZodObject[] };
}

type Schema = Record<string, unknown>;

const NULL_SCHEMA = { type: 'null' };

const allowNull = (schema: Schema): Schema => ({ anyOf: [schema, NULL_SCHEMA] });

const getMode = ({ shape }: z.ZodObject) => String((shape.mode as z.ZodLiteral).value);

const describeObject = (title: string, properties: Schema, required: string[] = []): Schema => ({
  title,
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

const requireObject = (name: string): Schema => ({
  required: [name],
  properties: { [name]: { type: 'object' } },
});

export const DEFAULT_CHUNK_SIZE = 1024;
export const DEFAULT_CHUNK_OVERLAP = 200;

const sizes = {
  chunk_size: z.number().int().positive().default(DEFAULT_CHUNK_SIZE),
  chunk_overlap: z.number().int().nonnegative().default(DEFAULT_CHUNK_OVERLAP),
};

/**
 * Sets a missing `chunk_overlap` in proportion to `chunk_size` if the chunk size is small, so that a size
 * alone is always valid.
 */
function fitOverlap(input: unknown): unknown {
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
 * Sets the missing `mode` of a chunking or segmentation configuration. Every field of the API is optional,
 * and null counts as missing.
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
  (input) => fitOverlap(withMode(() => 'sentence')(input)),
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
    fitOverlap(
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
 * Configuration of how a parsed document is split into chunks. Sizes are tokens, except for the `character`
 * chunker, which counts characters.
 */
export const transformConfig = z
  .record(z.string(), z.unknown())
  .meta(describeInput({ auto, chunkers, segmenters }))
  // The cast is safe although the transform accepts any value, because the record schema before it requires
  // an object.
  .pipe(transform as z.ZodType<TransformConfig, Record<string, unknown>>);

export const storedTransformConfig = z
  .record(z.string(), z.unknown())
  .meta(describeOutput({ auto, chunkers, segmenters }));

/**
 * Describes the input for the OpenAPI document. Every field may be missing or null, including a mode that
 * follows from another field or a default.
 */
function describeInput({ auto, chunkers, segmenters }: Shapes): Schema {
  const chunking_config = { anyOf: [...describeInputVariants(chunkers.options, 'sentence'), NULL_SCHEMA] };
  const segmentation_config = { anyOf: [...describeInputVariants(segmenters.options, 'none'), NULL_SCHEMA] };
  const parts = { chunking_config, segmentation_config };
  const sizes = describeInputMembers(auto);
  return {
    description:
      'Without a mode, `advanced` applies if `chunking_config` or `segmentation_config` is set, and `auto` otherwise.',
    anyOf: [
      describeObject('auto', { ...sizes, mode: { const: 'auto' } }, ['mode']),
      describeObject('auto without mode', {
        ...sizes,
        mode: NULL_SCHEMA,
        chunking_config: NULL_SCHEMA,
        segmentation_config: NULL_SCHEMA,
      }),
      describeObject('advanced', { ...parts, mode: { const: 'advanced' } }, ['mode']),
      {
        ...describeObject('advanced without mode', { ...parts, mode: NULL_SCHEMA }),
        anyOf: Object.keys(parts).map(requireObject),
      },
      // Nullable fields accept null because of this schema. Other fields exclude null by their own type.
      NULL_SCHEMA,
    ],
  };
}

function describeOutput({ auto, chunkers, segmenters }: Shapes): Schema {
  const advanced = {
    mode: { const: 'advanced' },
    chunking_config: { anyOf: chunkers.options.map(describeStoredVariant) },
    segmentation_config: { anyOf: segmenters.options.map(describeStoredVariant) },
  };
  return {
    anyOf: [
      describeStoredVariant(auto),
      describeObject('advanced', advanced, Object.keys(advanced)),
      NULL_SCHEMA,
    ],
  };
}

/**
 * Describes the variants of a configuration. `defaultMode` is the variant that applies if the mode is
 * missing.
 */
function describeInputVariants(options: readonly z.ZodObject[], defaultMode: string): Schema[] {
  return options.map((option) => {
    const { mode, ...members } = describeInputMembers(option);
    const name = getMode(option);
    if (name !== defaultMode) return describeObject(name, { ...members, mode: { const: name } }, ['mode']);
    return describeObject(name, { ...members, mode: allowNull({ const: name }) });
  });
}

function describeInputMembers(option: z.ZodObject): Record<string, Schema> {
  const { properties } = z.toJSONSchema(option, { io: 'input' });
  const members = Object.entries(properties as Record<string, Schema>);
  return Object.fromEntries(
    members.map(([name, { default: value, ...member }]) => [
      name,
      { ...allowNull(member), ...(value !== undefined && { default: value }) },
    ]),
  );
}

function describeStoredVariant(option: z.ZodObject): Schema {
  const { $schema, additionalProperties, ...described } = z.toJSONSchema(option, { io: 'output' });
  return { title: getMode(option), ...described };
}
