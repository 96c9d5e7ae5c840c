import { clusterSearchSuite } from './search-cluster-suite.ts';

clusterSearchSuite('Elasticsearch', 'elasticsearch');
