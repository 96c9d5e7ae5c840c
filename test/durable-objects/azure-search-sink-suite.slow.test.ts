import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { AzureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import { namingNone } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';

httpStoreSuite({
  driver: azureAiSearch,
  narrowed: namingNone(azureAiSearch, (settings, deps) => new AzureSearchStore(settings, deps)),
  component: {
    search_service_api_key: 'key-of-the-vendor',
    search_service_endpoint: 'https://search.test',
    index_name: 'shared-by-all',
  },
  vendors: [{ vendor: 'azure-ai-search', base: 'https://search.test' }],
});
