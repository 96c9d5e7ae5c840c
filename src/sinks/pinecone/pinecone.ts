import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { blaming, unlessAbsent, wrongSetting } from '#src/sinks/external/store-http.ts';
import { isIndexName, type PineconeSettings, pineconeClient } from './client.ts';
import { insertKwargs } from './insert-kwargs.ts';
import { absent, findPlace, unfit } from './place.ts';
import { PineconeStore } from './store.ts';

/** Pinecone over its HTTP API: a namespace of an index that is there, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_E',
  title: 'Managed vector store',
  client: { word: 'PINECONE', className: 'CloudPineconeVectorStore' },
  fields: {
    api_key: secret(),
    index_name: z.string().describe('Of dense vectors, compared by cosine or dotproduct. It must be there.'),
    namespace: field.text(),
    insert_kwargs: insertKwargs,
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ index_name, namespace }) => [index_name, namespace],
  open: (settings, deps) => new PineconeStore(settings, deps),
  check: checkPinecone,
});

/** Asks for the index, which must be there. Says which setting is wrong where the answer tells. */
async function checkPinecone(settings: PineconeSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  const { index_name } = settings;
  if (!isIndexName(index_name)) {
    throw wrongSetting('index_name', 'A name has 1 to 45 characters: a to z, 0 to 9, and - within.');
  }
  const client = pineconeClient(settings, deps);
  const found = await blaming({ credentials: 'api_key', address: 'index_name' }, () =>
    unlessAbsent(findPlace(client)),
  );
  const wanted = dimension ?? 'as many as the embedding model gives';
  const problem = found ? unfit(found.there, dimension) : absent(index_name, wanted);
  if (problem) throw wrongSetting('index_name', problem);
}
