import { createLogger } from '#src/lib/log.ts';
import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { AzureChunkStore } from '#src/sinks/azure-ai-search/search/chunk-store.ts';
import { chunkStoreSuite } from '#test/suites/chunk-store.suite.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'azure-ai-search', base: 'https://search.test' });

const settings = azureAiSearch.settings.parse({
  ...{ search_service_api_key: 'key-of-the-vendor', search_service_endpoint: 'https://search.test' },
  ...{ native_search: true, filterable_metadata_field_keys: { year: 'String' } },
});
chunkStoreSuite({
  name: 'Azure AI Search',
  open: (indexId) =>
    new AzureChunkStore(settings, {
      ...{ fetch, log: createLogger(), indexId },
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
    }),
});
