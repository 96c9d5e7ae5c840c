import { openDriver } from '#src/sinks/open-driver.ts';
import pinecone from '#src/sinks/pinecone/pinecone.ts';
import type { Sink } from '#src/sinks/sink.ts';
import { type Directory, managedDeps } from './managed-index.ts';

export const PINECONE = { api_key: 'key-of-the-vendor', index_name: 'shared', namespace: 'a name space' };
export const PINECONE_VENDORS = [{ vendor: 'pinecone-control' }, { vendor: 'pinecone-data' }];

/** An index in the test's namespace, as the service opens it, with the shards of the runtime beside it. */
export function openPinecone(indexId: string, directory: Directory, silence = 30): Sink {
  const settings = { ...managedDeps.settings, SILENCE_SECONDS: silence };
  const deps = { ...managedDeps, settings, indexId, directory };
  return openDriver(pinecone, pinecone.settings.parse(PINECONE), deps);
}
