import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { headerMap } from '#src/lib/schema/header-map.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { KindDescription } from '#src/ports/kind.ts';

export interface EmbedderCapabilities {
  /** Maximum texts per call, whatever a configuration requests. */
  maxBatch: number;
  /** Whether the model distinguishes queries from documents. */
  tellsPurpose: boolean;
}

/** A provider for which configurations can be stored. `settings` defines its fields, defaults and secrets. */
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

const LARGEST_BATCH = 2048;
/**
 * Maximum concurrent calls. A Worker has six connections that may wait for an answer, and others need some.
 */
export const MOST_WORKERS = 4;

function settingsOf<Fields extends z.ZodRawShape>(fields: Fields, maxBatch = LARGEST_BATCH) {
  const batchSize = () => z.int().gt(0).max(LARGEST_BATCH).nullable().default(10).describe('Texts per call.');
  return z.looseObject({
    class_name: field.text(),
    embed_batch_size:
      maxBatch < LARGEST_BATCH
        ? upTo(maxBatch, batchSize(), 'The provider takes no more texts in one call')
        : batchSize(),
    num_workers: upTo(
      MOST_WORKERS,
      field.int().describe('Workers for concurrent calls.'),
      'No more calls go side by side',
    ),
    ...fields,
  });
}

/** Schema of a number with a maximum effect. Larger values cause a warning. */
const upTo = <Schema extends z.ZodType>(most: number, schema: Schema, why: string) =>
  withoutEffect(schema, (value) =>
    typeof value === 'number' && value > most ? `${why} than ${most}.` : undefined,
  );

type SettingsSchema<Fields extends z.ZodRawShape> = ReturnType<typeof settingsOf<Fields>>;
/** Settings that the `open` function of a driver with these fields receives. */
export type EmbedderSettings<Fields extends z.ZodRawShape> = z.output<SettingsSchema<Fields>>;

interface Named<Type extends string, Fields extends z.ZodRawShape> extends KindDescription {
  kind: Type;
  /** Fields besides those that all providers have. */
  fields: Fields;
}

interface Driver<Fields extends z.ZodRawShape> {
  capabilities: EmbedderCapabilities;
  open(settings: EmbedderSettings<Fields>, deps: ModelDeps): Embedder;
  /** By default one text is embedded. */
  check?(embedder: Embedder, settings: EmbedderSettings<Fields>, deps: ModelDeps): Promise<string>;
}

/**
 * Defines a provider whose configurations are validated, encrypted and stored, but which this installation
 * cannot run.
 */
export function defineEmbedderSettings<const Type extends string, Fields extends z.ZodRawShape>({
  kind,
  title,
  client,
  fields,
}: Named<Type, Fields>) {
  return { kind, title, client, className: client.className, settings: settingsOf(fields) };
}

const LOC = ['body', 'embedding_config', 'component'];
/** Path of the component in an error of `Invalid.field`, which prepends the body. */
export const componentLoc = LOC.slice(1);

export function defineEmbedder<const Type extends string, Fields extends z.ZodRawShape>({
  kind,
  title,
  client,
  fields,
  capabilities,
  open,
  check = tryEmbedder,
}: Named<Type, Fields> & Driver<Fields>) {
  const settings = settingsOf(fields, capabilities.maxBatch);
  const checked = (value: unknown) => parseInput(settings, value, LOC) as EmbedderSettings<Fields>;
  return {
    kind,
    title,
    client,
    className: client.className,
    settings,
    capabilities,
    open: (value: unknown, deps: ModelDeps) => open(checked(value), deps),
    async check(value: unknown, deps: ModelDeps) {
      const given = checked(value);
      return check(open(given, deps), given, deps);
    },
  };
}

/** Embeds one text and describes the result. */
export async function tryEmbedder(embedder: Embedder): Promise<string> {
  const [vector] = await embedder.embed(['A text to try the connection with.'], 'query');
  return `${embedder.modelId} gives vectors of ${vector!.length} dimensions.`;
}

/** Retries of a batch within one call. The owner of the work tries again later and counts those attempts. */
export const QUICK_RETRIES = 2;
export const quickRetries = (asked: number | null) => Math.min(asked ?? QUICK_RETRIES, QUICK_RETRIES);

/** Fields that several providers share. Headers and cookies are secret as a whole. */
export const embedderField = {
  secretMap: () => headerMap().nullish(),
  /** Clients are not told the default model, which depends on the provider. */
  model: () => field.text().describe('The usual model of the type when omitted.'),
  retries: (number = z.int().min(0)) =>
    upTo(
      QUICK_RETRIES,
      number.nullable().default(10).describe('Of one batch; a sync tries its files again by itself.'),
      'A sync tries its files again by itself; within one call a batch is tried again no more often',
    ),
  seconds: () => z.number().min(0).nullable().default(60).describe('Of one call; 0: as when omitted.'),
  dimensions: () => field.int().refine((value) => !value || value > 0, 'Input should be greater than 0'),
  furtherMembers: () =>
    field.map().describe('Further members of each request, which replace none of the service.'),
  reuseClient: () =>
    withoutEffect(field.flagOr(true), 'Connections are kept by the platform; no client of one is shared.'),
};
