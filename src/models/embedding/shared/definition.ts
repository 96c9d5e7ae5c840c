import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { headerMap } from '#src/lib/schema/header-map.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { KindDescription } from '#src/ports/kind.ts';

export interface EmbedderCapabilities {
  /** Most texts that one call may carry, whatever a configuration asks for. */
  maxBatch: number;
  /** Whether the model is told that a text is a query and not a document. */
  tellsPurpose: boolean;
}

/** A provider that a configuration can be stored for; `settings` says its fields, their defaults and which are secret. */
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
/** A Worker has six connections that wait for an answer, and others need some. */
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

/** A number of which only so much has an effect; who sends more is told. */
const upTo = <Schema extends z.ZodType>(most: number, schema: Schema, why: string) =>
  withoutEffect(schema, (value) =>
    typeof value === 'number' && value > most ? `${why} than ${most}.` : undefined,
  );

type SettingsSchema<Fields extends z.ZodRawShape> = ReturnType<typeof settingsOf<Fields>>;
/** What `open` of a driver with these fields is given. */
export type EmbedderSettings<Fields extends z.ZodRawShape> = z.output<SettingsSchema<Fields>>;

interface Named<Type extends string, Fields extends z.ZodRawShape> extends KindDescription {
  kind: Type;
  /** The fields besides those that all providers have. */
  fields: Fields;
}

interface Driver<Fields extends z.ZodRawShape> {
  capabilities: EmbedderCapabilities;
  open(settings: EmbedderSettings<Fields>, deps: ModelDeps): Embedder;
  /** Without it one text is embedded. */
  check?(embedder: Embedder, settings: EmbedderSettings<Fields>, deps: ModelDeps): Promise<string>;
}

/** A provider whose configurations are checked, sealed and kept, and that this installation cannot run. */
export function defineEmbedderSettings<const Type extends string, Fields extends z.ZodRawShape>({
  kind,
  title,
  client,
  fields,
}: Named<Type, Fields>) {
  return { kind, title, client, className: client.className, settings: settingsOf(fields) };
}

const LOC = ['body', 'embedding_config', 'component'];
/** Of a field in an error of `Invalid.field`, which adds the body. */
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

/** Embeds one text and says what came of it. */
export async function tryEmbedder(embedder: Embedder): Promise<string> {
  const [vector] = await embedder.embed(['A text to try the connection with.'], 'query');
  return `${embedder.modelId} gives vectors of ${vector!.length} dimensions.`;
}

/** Attempts at a batch after the first, within one call; whoever owns the work tries again later and counts that. */
export const QUICK_RETRIES = 2;
export const quickRetries = (asked: number | null) => Math.min(asked ?? QUICK_RETRIES, QUICK_RETRIES);

/** Fields that several providers have. Headers and cookies are secret as a whole. */
export const embedderField = {
  secretMap: () => headerMap().nullish(),
  /** Which model that is, is the provider's affair and not part of what clients are told. */
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
