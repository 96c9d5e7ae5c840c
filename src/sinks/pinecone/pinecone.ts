import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { attributeRefusals, createSettingError, ignoreNotFound } from '#src/sinks/external/store-http.ts';
import { createPineconeClient, isIndexName, type PineconeSettings } from './client.ts';
import { describeMismatch, describeMissingIndex, findIndexTarget } from './index-target.ts';
import { insertKwargs } from './insert-kwargs.ts';
import { PineconeStore } from './store.ts';

/**
 * Data sink for a namespace of an existing Pinecone index, accessed through the HTTP API. Several indexes may
 * share a namespace.
 */
export default defineStore({
  kind: 'VENDOR_E',
  title: 'Managed vector store',
  client: { word: 'PINECONE', className: 'CloudPineconeVectorStore' },
  fields: {
    api_key: secret(),
    index_name: z
      .string()
      .describe('Name of an existing index of dense vectors with the metric cosine or dotproduct.'),
    namespace: field.text(),
    insert_kwargs: insertKwargs,
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ index_name, namespace }) => [index_name, namespace],
  openSearch: null,
  open: (settings, deps) => new PineconeStore(settings, deps),
  check: checkPinecone,
});

/**
 * Validates the settings and the connection. Rejects if the Pinecone index does not exist. The error names
 * the wrong setting if Pinecone's response reveals it.
 */
async function checkPinecone(settings: PineconeSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  const { index_name } = settings;
  if (!isIndexName(index_name)) {
    throw createSettingError(
      'index_name',
      'Index names consist of 1 to 45 lowercase letters, digits and inner dashes.',
    );
  }
  const client = createPineconeClient(settings, deps);
  const found = await attributeRefusals({ credentials: 'api_key', address: 'index_name' }, () =>
    ignoreNotFound(findIndexTarget(client)),
  );
  const wanted = dimension === undefined ? 'the dimension of the embedding model' : `${dimension} dimensions`;
  const problem = found ? describeMismatch(found.index, dimension) : describeMissingIndex(index_name, wanted);
  if (problem) throw createSettingError('index_name', problem);
}
