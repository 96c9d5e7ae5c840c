import type { z } from 'zod';
import type { KindDescription } from '#src/ports/kind.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineSink } from '#src/sinks/define.ts';
import type { SinkIndexDeps } from '#src/sinks/managed/index-deps.ts';
import { MANAGED_CAPABILITIES } from '#src/sinks/managed/managed.ts';
import { createManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { usesNativeSearch } from '#src/sinks/native/native-search.ts';
import { nativeSink } from '#src/sinks/native/native-sink.ts';
import type { SearchStore } from '#src/sinks/native/search-store.ts';
import { externalSink } from './external-sink.ts';
import type { VectorStore } from './vector-store.ts';

type StoreDefinition<Kind extends string, Shape extends z.ZodRawShape> = Pick<
  ReturnType<typeof defineSink<Kind, Shape>>,
  'location' | 'check'
> &
  KindDescription & { kind: Kind; fields: Shape };
type StoreSettings<Kind extends string, Shape extends z.ZodRawShape> = z.output<
  ReturnType<typeof defineSink<Kind, Shape>>['settings']
>;

type OpenDeps = SinkDeps & Pick<SinkIndexDeps, 'indexId' | 'ledger'>;

interface Openers<Kind extends string, Shape extends z.ZodRawShape> {
  open(settings: StoreSettings<Kind, Shape>, deps: OpenDeps): VectorStore;
  /**
   * Opens the store for an index whose whole search it carries. Null if the store cannot do this. Every driver
   * must say which.
   */
  openSearch: ((settings: StoreSettings<Kind, Shape>, deps: OpenDeps) => SearchStore) | null;
}

/**
 * Defines a kind of data sink for an external vector store. The sink has the same capabilities as the managed
 * index, whatever the store supports. If the store can carry the whole search, the field `native_search` asks
 * for it. Both modes store different data, so that a change of the field counts as another location.
 */
export function defineStore<const Kind extends string, Shape extends z.ZodRawShape>({
  open,
  openSearch,
  title,
  client,
  location,
  ...given
}: StoreDefinition<Kind, Shape> & Openers<Kind, Shape>) {
  const sink = defineSink<Kind, Shape, SinkDeps, SinkIndexDeps>({
    ...given,
    capabilities: MANAGED_CAPABILITIES,
    location: (settings) => [...location(settings), ...(usesNativeSearch(settings) ? ['native search'] : [])],
    open: (settings, deps) =>
      openSearch && usesNativeSearch(settings)
        ? nativeSink({ store: openSearch(settings, deps), deps })
        : externalSink({ store: open(settings, deps), index: createManagedIndex(deps), deps }),
  });
  return { ...sink, title, client, canSearch: openSearch !== null };
}
