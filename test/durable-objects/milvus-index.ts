import milvus from '#src/sinks/milvus/milvus.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import type { Sink } from '#src/sinks/sink.ts';
import { type Directory, managedDeps } from './managed-index.ts';

const MILVUS = { uri: 'http://vectors.test', token: 'key-of-the-vendor', collection_name: 'shared' };
export const MILVUS_VENDOR = { vendor: 'milvus', base: 'http://vectors.test:19530' };

/** An index in the test's collection, as the service opens it, with the shards of the runtime beside it. */
export function openMilvus(indexId: string, directory: Directory, silence = 30): Sink {
  const settings = { ...managedDeps.settings, SILENCE_SECONDS: silence };
  const deps = { ...managedDeps, settings, indexId, directory };
  return openDriver(milvus, milvus.settings.parse(MILVUS), deps);
}
