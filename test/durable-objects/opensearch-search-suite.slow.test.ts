import { clusterSearchSuite } from './search-cluster-suite.ts';

clusterSearchSuite('OpenSearch', 'opensearch');
