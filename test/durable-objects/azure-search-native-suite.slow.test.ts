import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { nativeHttpSuite } from './native-http-suite.ts';

nativeHttpSuite({
  driver: azureAiSearch,
  component: {
    search_service_api_key: 'key-of-the-vendor',
    search_service_endpoint: 'https://search.test',
    index_name: 'shared-by-all',
  },
  vendors: [{ vendor: 'azure-ai-search', base: 'https://search.test' }],
});
