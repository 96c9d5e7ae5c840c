import { searchClusterSuite } from './search-cluster-suite.ts';

searchClusterSuite('OpenSearch', 'opensearch');
