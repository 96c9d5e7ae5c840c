import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkAzureSearch } from './check.ts';
import { filterableKeys } from './filterable.ts';
import { signsIn } from './settings.ts';
import { AzureSearchStore } from './store.ts';

/** Azure AI Search over its REST API: an index of the service, which several of Sluice's may share. */
export default defineStore({
  kind: 'VENDOR_B_SEARCH',
  title: 'Cloud search service',
  client: { word: 'AZUREAI_SEARCH', className: 'CloudAzureAISearchVectorStore' },
  fields: {
    search_service_api_key: withoutEffect(
      secret().describe('Not sent where `tenant_id`, `client_id` and `client_secret` sign in.'),
      (_, within) =>
        signsIn(within) ? 'tenant_id, client_id and client_secret sign in, and no key is sent.' : undefined,
    ),
    search_service_endpoint: z.string(),
    client_id: field.text(),
    client_secret: secret().nullish(),
    embedding_dimension: field.int().describe('Must be that of the embedding model, where it is given.'),
    filterable_metadata_field_keys: filterableKeys,
    index_name: field.text().describe('Made when it is absent; `sluice` when omitted.'),
    search_service_api_version: field.text().describe('`2025-09-01` when omitted.'),
    tenant_id: field.text(),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  // Fields that are to be filterable are part of how the store's index is made.
  location: ({ search_service_endpoint, index_name, filterable_metadata_field_keys }) => [
    search_service_endpoint,
    index_name,
    filterable_metadata_field_keys,
  ],
  open: (settings, deps) => new AzureSearchStore(settings, deps),
  check: checkAzureSearch,
});
