import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import { nativeSearchField } from '#src/sinks/native/native-search.ts';
import { checkOpenSearch } from './check.ts';
import { OpenSearchChunkStore } from './search/chunk-store.ts';
import { DEFAULT_RETRIES, MAX_RETRIES } from './settings.ts';
import { OpenSearchStore } from './store.ts';

/**
 * Data sink for an index of OpenSearch or Elasticsearch, accessed through the REST API. Several indexes of Sluice
 * may share it. The driver asks the cluster which of the two it is.
 */
export default defineStore({
  kind: 'VENDOR_H',
  title: 'Search cluster',
  client: { word: 'OPENSEARCH', className: 'CloudOpenSearchVectorStore' },
  fields: {
    url: z
      .string()
      .describe('URL of the cluster. It must use https, unless the service may call private addresses.'),
    index_name: z.string().describe('Created with cosine similarity if it does not exist.'),
    username: field.text().describe('User of Basic authentication. Set `password` too.'),
    password: secret().nullish(),
    api_key: secret()
      .nullish()
      .describe(
        'Used in place of `username` and `password`: the encoded key, or its id and key joined by a colon.',
      ),
    max_retries: z.int().min(0).max(MAX_RETRIES).nullable().default(DEFAULT_RETRIES),
    native_search: nativeSearchField(),
  },
  location: ({ url, index_name }) => [url, index_name],
  openSearch: (settings, deps) =>
    createLedgerSearch({ store: new OpenSearchChunkStore(settings, deps), ledger: deps.ledger, deps }),
  open: (settings, deps) => new OpenSearchStore(settings, deps),
  check: checkOpenSearch,
});
