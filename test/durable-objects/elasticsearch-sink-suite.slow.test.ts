import { searchClusterSuite } from './search-cluster-suite.ts';

searchClusterSuite('Elasticsearch', 'elasticsearch');
