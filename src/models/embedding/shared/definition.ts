import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { headerMap } from '#src/lib/schema/header-map.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { KindDescription } from '#src/ports/kind.ts';

export interface EmbedderCapabilities {
  /** Maximum number of texts per call. A configuration cannot exceed this number. */
  maxBatch: number;
  /** True if the model embeds queries differently from documents. */
  distinguishesPurpose: boolean;
}

/**
 * Definition of an embedding provider for which configurations can be stored. `settings` defines its fields,
 * defaults and secrets.
 */
export interface EmbedderSettingsDefinition<Type extends string> extends KindDescription {
  readonly kind: Type;
  readonly className: string;
  readonly settings: z.ZodObject;
  readonly open?: undefined;
}

export interface RunnableEmbedder<Type extends string = string>
  extends ModelDefinition<Type, EmbedderCapabilities, Embedder>,
    KindDescription {
  readonly settings: z.ZodObject;
}

export type EmbedderDefinition<Type extends string> =
  | EmbedderSettingsDefinition<Type>
  | RunnableEmbedder<Type>;

const MAX_BATCH = 2048;
/**
 * Maximum number of concurrent calls to an embedding provider. A Worker can wait for six connections at once,
 * and other work needs some of them.
 */
export const MAX_WORKERS = 4;

function buildSettingsSchema<Fields extends z.ZodRawShape>(fields: Fields, maxBatch = MAX_BATCH) {
  const batchSize = () =>
    z.int().gt(0).max(MAX_BATCH).nullable().default(10).describe('Maximum number of texts per call.');
  return z.looseObject({
    class_name: field.text(),
    embed_batch_size:
      maxBatch < MAX_BATCH
        ? withMaximum(maxBatch, batchSize(), `The provider accepts at most ${maxBatch} texts per call.`)
        : batchSize(),
    num_workers: withMaximum(
      MAX_WORKERS,
      field.int().describe('Number of concurrent calls.'),
      `At most ${MAX_WORKERS} calls run at the same time.`,
    ),
    ...fields,
  });
}

/** Returns the schema of a number that takes effect only up to a maximum. A larger value causes a warning. */
const withMaximum = <Schema extends z.ZodType>(most: number, schema: Schema, why: string) =>
  withoutEffect(schema, (value) => (typeof value === 'number' && value > most ? why : undefined));

type SettingsSchema<Fields extends z.ZodRawShape> = ReturnType<typeof buildSettingsSchema<Fields>>;
/** Type of the settings that the `open` function of an embedding provider receives. */
export type EmbedderSettings<Fields extends z.ZodRawShape> = z.output<SettingsSchema<Fields>>;

interface Named<Type extends string, Fields extends z.ZodRawShape> extends KindDescription {
  kind: Type;
  /** Fields of the provider's settings in addition to the fields that all providers have. */
  fields: Fields;
}

interface Driver<Fields extends z.ZodRawShape> {
  capabilities: EmbedderCapabilities;
  open(settings: EmbedderSettings<Fields>, deps: ModelDeps): Embedder;
  /** Tests the embedding model. If absent, the test embeds one text. */
  check?(embedder: Embedder, settings: EmbedderSettings<Fields>, deps: ModelDeps): Promise<string>;
}

/**
 * Defines an embedding provider whose configurations are validated, encrypted and stored, although this
 * installation cannot run it.
 */
export function defineEmbedderSettings<const Type extends string, Fields extends z.ZodRawShape>({
  kind,
  title,
  client,
  fields,
}: Named<Type, Fields>) {
  return { kind, title, client, className: client.className, settings: buildSettingsSchema(fields) };
}

const LOC = ['body', 'embedding_config', 'component'];
/** Path of the component in the request body, for errors of `Invalid.field`. */
export const componentLoc = LOC.slice(1);

export function defineEmbedder<const Type extends string, Fields extends z.ZodRawShape>({
  kind,
  title,
  client,
  fields,
  capabilities,
  open,
  check = testEmbedder,
}: Named<Type, Fields> & Driver<Fields>) {
  const settings = buildSettingsSchema(fields, capabilities.maxBatch);
  const parseSettings = (value: unknown) => parseInput(settings, value, LOC) as EmbedderSettings<Fields>;
  return {
    kind,
    title,
    client,
    className: client.className,
    settings,
    capabilities,
    open: (value: unknown, deps: ModelDeps) => open(parseSettings(value), deps),
    async check(value: unknown, deps: ModelDeps) {
      const given = parseSettings(value);
      return check(open(given, deps), given, deps);
    },
  };
}

/** Tests an embedding model by embedding one text, and returns a description of the result. */
export async function testEmbedder(embedder: Embedder): Promise<string> {
  const [vector] = await embedder.embed(['A text to try the connection with.'], 'query');
  return `${embedder.modelId} returned a vector with ${vector!.length} dimensions.`;
}

/**
 * Maximum number of retries of a batch within one call. Later attempts of the whole work, such as a sync run,
 * are counted separately.
 */
export const QUICK_RETRIES = 2;
export const limitRetries = (requested: number | null) => Math.min(requested ?? QUICK_RETRIES, QUICK_RETRIES);

/** Schemas of settings that several embedding providers share. All headers and cookies count as secrets. */
export const embedderField = {
  secretMap: () => headerMap().nullish(),
  /** The description does not name the default model, because the default depends on the provider. */
  model: () => field.text().describe('Name of the model. Default: the usual model of this type.'),
  retries: (number = z.int().min(0)) =>
    withMaximum(
      QUICK_RETRIES,
      number.nullable().default(10).describe('Number of retries of a batch. A sync also retries its files.'),
      `Within one call, a batch is retried at most ${QUICK_RETRIES} times. A sync also retries its files.`,
    ),
  seconds: () =>
    z.number().min(0).nullable().default(60).describe('Timeout of a call in seconds. 0 means the default.'),
  dimensions: () => field.int().refine((value) => !value || value > 0, 'Input should be greater than 0'),
  furtherMembers: () =>
    field.map().describe('Additional members of each request. They do not replace members that Sluice sets.'),
  reuseClient: () =>
    withoutEffect(field.flagOr(true), 'This field has no effect, because the platform manages connections.'),
};
