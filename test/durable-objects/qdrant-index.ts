import { openDriver } from '#src/sinks/open-driver.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { qdrantStore } from '#src/sinks/qdrant/store.ts';
import type { Sink } from '#src/sinks/sink.ts';
import { type Directory, managedDeps } from './managed-index.ts';
import { namingNone } from './naming-none.ts';

export const QDRANT = {
  api_key: 'key-of-the-vendor',
  collection_name: 'shared by all indexes',
  url: 'https://vectors.test',
  max_retries: 0,
};
export const QDRANT_VENDOR = { vendor: 'qdrant', base: 'https://vectors.test:6333' };

/** An index in the test's collection, as the service opens it, with the shards of the runtime beside it. */
export function openQdrant(indexId: string, directory: Directory, silence = 30): Sink {
  const settings = { ...managedDeps.settings, SILENCE_SECONDS: silence };
  const deps = { ...managedDeps, settings, indexId, directory };
  return openDriver(qdrant, qdrant.settings.parse(QDRANT), deps);
}

/** The same, whose store is told in its own terms what filters let through, however few documents that are. */
export function openNarrowed(indexId: string, directory: Directory): Sink {
  const deps = { ...managedDeps, indexId, directory };
  return openDriver(namingNone(qdrant, qdrantStore), qdrant.settings.parse(QDRANT), deps);
}
