import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import {
  type Component,
  componentInput,
  componentSchema,
  freeFormComponent,
} from '#src/lib/schema/component.ts';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { indexByKind } from '#src/ports/kind.ts';
import { SinkError } from '#src/ports/sink.ts';
import astra from './astra/astra.ts';
import azureAiSearch from './azure-ai-search/azure-ai-search.ts';
import type { SinkDriver } from './define.ts';
import milvus from './milvus/milvus.ts';
import mongodb from './mongodb/mongodb.ts';
import { NATIVE_SEARCH } from './native/native-search.ts';
import opensearch from './opensearch/opensearch.ts';
import pgvector from './pgvector/pgvector.ts';
import pinecone from './pinecone/pinecone.ts';
import qdrant from './qdrant/qdrant.ts';

export const sinks = indexByKind([
  astra,
  azureAiSearch,
  milvus,
  mongodb,
  pinecone,
  pgvector,
  qdrant,
  opensearch,
]);
export type SinkType = keyof typeof sinks;

export const SINK_TYPES = Object.keys(sinks) as SinkType[];
export const sinkType = z.enum(SINK_TYPES);

/**
 * Rejects `native_search` for stores that cannot carry the whole search. The message names those that can.
 */
export function rejectUnsupportedSearch(type: SinkType, component: unknown): void {
  if (!isRecord(component) || component[NATIVE_SEARCH] !== true || sinks[type].canSearch) return;
  const able = SINK_TYPES.filter((each) => sinks[each].canSearch).map(
    (each) => `${each} (${sinks[each].title.toLowerCase()})`,
  );
  throw Invalid.field(
    ['component', NATIVE_SEARCH],
    `${NATIVE_SEARCH} is not available for ${type}. Data sinks that can carry the whole search: ${able.join(', ')}.`,
  );
}

type Components = { [Type in SinkType]: (typeof sinks)[Type]['settings'] };

/**
 * Schemas of the settings by data sink type. They validate input, mark secret fields and appear in the API
 * description.
 */
export const sinkComponents = Object.fromEntries(
  Object.entries(sinks).map(([type, { settings }]) => [type, settings]),
) as Components;

/**
 * Schema of a data sink component in requests and responses. `sink_type` selects the shape, which
 * `parseComponent` validates.
 */
export const sinkComponentInput = componentInput(sinkComponents, { freeForm: true });

/**
 * Returns the driver of a data sink type. Throws a permanent SinkError if the component does not match the
 * type's settings.
 */
export function sinkDriver(type: string, component: Component): SinkDriver {
  if (componentSchema(sinkComponents, type, component) === freeFormComponent) {
    const message = `The component does not match the data sink type ${type}: it lacks required fields or has none that the type knows.`;
    throw new SinkError(message, { retryable: false });
  }
  return sinks[type as SinkType];
}

/** Returns whether two components of the same data sink type refer to the same external location. */
export function isSameLocation(type: string, one: Component, other: Component): boolean {
  const shape: z.ZodType = componentSchema(sinkComponents, type, one);
  if (shape !== componentSchema(sinkComponents, type, other)) return false;
  const definition: SinkDriver | undefined = sinks[type as SinkType];
  const place = (component: Component) =>
    JSON.stringify(shape === freeFormComponent ? component : definition?.location(component));
  return place(one) === place(other);
}
