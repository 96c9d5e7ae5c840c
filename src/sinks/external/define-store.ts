import type { z } from 'zod';
import type { KindDescription } from '#src/ports/kind.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineSink } from '#src/sinks/define.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import { MANAGED_CAPABILITIES } from '#src/sinks/managed/managed.ts';
import { createManagedIndex } from '#src/sinks/managed/managed-index.ts';
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

/**
 * Defines a kind of data sink for an external vector store. The sink has the same capabilities as the managed
 * index, whatever the store supports.
 */
export function defineStore<const Kind extends string, Shape extends z.ZodRawShape>({
  open,
  title,
  client,
  ...given
}: StoreDefinition<Kind, Shape> & {
  open(settings: StoreSettings<Kind, Shape>, deps: SinkDeps & { indexId: string }): VectorStore;
}) {
  const sink = defineSink<Kind, Shape, SinkDeps, IndexDeps>({
    ...given,
    capabilities: MANAGED_CAPABILITIES,
    open: (settings, deps) =>
      externalSink({ store: open(settings, deps), index: createManagedIndex(deps), deps }),
  });
  return { ...sink, title, client };
}
