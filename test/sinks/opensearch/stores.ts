import { createLogger } from '#src/lib/log.ts';
import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchStore } from '#src/sinks/opensearch/store.ts';

/** Both products, each at an address of its own, because the driver remembers which product an address has. */
export const PRODUCTS = [
  { name: 'OpenSearch', vendor: 'opensearch', base: 'https://opensearch.test:9200/path' },
  { name: 'Elasticsearch', vendor: 'elasticsearch', base: 'https://elasticsearch.test' },
] as const;
export type Product = (typeof PRODUCTS)[number];

export const PASSWORD = 'password-of-the-vendor';
export const KEY = 'key-of-the-vendor';

export const buildComponent = ({ base }: { base: string }, changes: object = {}) => ({
  ...{ url: `${base}/`, index_name: 'shared', username: 'user', password: PASSWORD, max_retries: 0 },
  ...changes,
});

export const buildDeps = (indexId: string, allowsPrivate = true) => ({
  fetch,
  log: createLogger(),
  settings: { ALLOW_PRIVATE_ADDRESSES: allowsPrivate, SILENCE_SECONDS: 10 },
  indexId,
});

export const openStore = (product: { base: string }, changes: object = {}, indexId = 'index') =>
  new OpenSearchStore(opensearch.settings.parse(buildComponent(product, changes)), buildDeps(indexId));
