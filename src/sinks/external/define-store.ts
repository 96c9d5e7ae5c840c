import type { z } from 'zod';
import type { KindDescription } from '#src/ports/kind.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineSink } from '#src/sinks/define.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import { MANAGED_CAPABILITIES } from '#src/sinks/managed/managed.ts';
import { managedIndex } from '#src/sinks/managed/managed-index.ts';
import { externalSink } from './external-sink.ts';
import type { VectorStore } from './vector-store.ts';

type Given<Kind extends string, Shape extends z.ZodRawShape> = Pick<
  ReturnType<typeof defineSink<Kind, Shape>>,
  'location' | 'check'
> &
  KindDescription & { kind: Kind; fields: Shape };
type SettingsOf<Kind extends string, Shape extends z.ZodRawShape> = z.output<
  ReturnType<typeof defineSink<Kind, Shape>>['settings']
>;

/** A kind of external store. Whatever the store can do, the sink can do what the managed index can. */
export function defineStore<const Kind extends string, Shape extends z.ZodRawShape>({
  open,
  title,
  client,
  ...given
}: Given<Kind, Shape> & {
  open(settings: SettingsOf<Kind, Shape>, deps: SinkDeps & { indexId: string }): VectorStore;
}) {
  const sink = defineSink<Kind, Shape, SinkDeps, IndexDeps>({
    ...given,
    capabilities: MANAGED_CAPABILITIES,
    open: (settings, deps) => externalSink({ store: open(settings, deps), index: managedIndex(deps), deps }),
  });
  return { ...sink, title, client };
}
