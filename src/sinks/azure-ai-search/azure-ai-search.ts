import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import { nativeSearchField } from '#src/sinks/native/native-search.ts';
import { checkAzureSearch } from './check.ts';
import { filterableKeys } from './filterable.ts';
import { AzureChunkStore } from './search/chunk-store.ts';
import { usesClientCredentials } from './settings.ts';
import { AzureSearchStore } from './store.ts';

/**
 * Data sink for an index of Azure AI Search, accessed through the REST API. Several indexes of Sluice may
 * share it.
 */
export default defineStore({
  kind: 'VENDOR_B_SEARCH',
  title: 'Cloud search service',
  client: { word: 'AZUREAI_SEARCH', className: 'CloudAzureAISearchVectorStore' },
  fields: {
    search_service_api_key: withoutEffect(
      secret().describe('Not used if `tenant_id`, `client_id` and `client_secret` are set.'),
      (_, within) =>
        usesClientCredentials(within)
          ? 'The key is not used because tenant_id, client_id and client_secret are set.'
          : undefined,
    ),
    search_service_endpoint: z.string(),
    client_id: field.text(),
    client_secret: secret().nullish(),
    embedding_dimension: field.int().describe('If set, it must be the dimension of the embedding model.'),
    filterable_metadata_field_keys: filterableKeys,
    index_name: field.text().describe('Created if it does not exist. Defaults to `sluice`.'),
    native_search: nativeSearchField(),
    search_service_api_version: field.text().describe('Defaults to `2025-09-01`.'),
    tenant_id: field.text(),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  // Azure fixes the filterable fields when it creates an index, so changing them moves the data to a new
  // index.
  location: ({ search_service_endpoint, index_name, filterable_metadata_field_keys }) => [
    search_service_endpoint,
    index_name,
    filterable_metadata_field_keys,
  ],
  open: (settings, deps) => new AzureSearchStore(settings, deps),
  openSearch: (settings, deps) => {
    const store = new AzureChunkStore(settings, deps);
    return createLedgerSearch({ store, ledger: deps.ledger, deps });
  },
  check: checkAzureSearch,
});
