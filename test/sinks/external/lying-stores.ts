import astra from '#src/sinks/astra/astra.ts';
import { AstraStore } from '#src/sinks/astra/store.ts';
import azureAiSearch from '#src/sinks/azure-ai-search/azure-ai-search.ts';
import { AzureSearchStore } from '#src/sinks/azure-ai-search/store.ts';
import milvus from '#src/sinks/milvus/milvus.ts';
import { MilvusStore } from '#src/sinks/milvus/store.ts';
import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchStore } from '#src/sinks/opensearch/store.ts';
import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { PineconeStore } from '#src/sinks/pinecone/store.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import type { LyingStoreFixture } from '#test/suites/store-lies.ts';

const KEY = 'key-of-the-vendor';
const PASSWORD = 'password-of-the-vendor';
const ASTRA_TOKEN = 'AstraCS:token-of-the-vendor';

/** One fixture for each store that speaks HTTP. PostgreSQL and MongoDB have protocols of their own. */
export const lyingStores: readonly LyingStoreFixture[] = [
  {
    kind: qdrant.kind,
    secret: KEY,
    vendors: [{ vendor: 'qdrant', base: 'https://vectors.test:6333' }],
    open: (deps) =>
      createQdrantStore(
        qdrant.settings.parse({
          api_key: KEY,
          collection_name: 'c',
          url: 'https://vectors.test',
          max_retries: 0,
        }),
        deps,
      ),
  },
  {
    kind: pinecone.kind,
    secret: KEY,
    vendors: [{ vendor: 'pinecone-control' }, { vendor: 'pinecone-data' }],
    open: (deps) => new PineconeStore(pinecone.settings.parse({ api_key: KEY, index_name: 'shared' }), deps),
    answeredWithNothing: ['remove', 'describe'],
  },
  {
    kind: milvus.kind,
    secret: KEY,
    vendors: [{ vendor: 'milvus', base: 'http://vectors.test:19530' }],
    open: (deps) => new MilvusStore(milvus.settings.parse({ uri: 'http://vectors.test', token: KEY }), deps),
  },
  {
    kind: astra.kind,
    secret: ASTRA_TOKEN,
    vendors: [{ vendor: 'astra-db', base: 'https://astra.test' }],
    open: (deps) =>
      new AstraStore(
        astra.settings.parse({
          ...{ token: ASTRA_TOKEN, api_endpoint: 'https://astra.test' },
          ...{ collection_name: 'shared', embedding_dimension: 8 },
        }),
        deps,
      ),
  },
  {
    kind: azureAiSearch.kind,
    secret: KEY,
    vendors: [{ vendor: 'azure-ai-search', base: 'https://search.test' }],
    open: (deps) =>
      new AzureSearchStore(
        azureAiSearch.settings.parse({
          ...{ search_service_api_key: KEY, search_service_endpoint: 'https://search.test' },
          ...{ index_name: 'shared' },
        }),
        deps,
      ),
  },
  {
    kind: opensearch.kind,
    secret: PASSWORD,
    vendors: [{ vendor: 'opensearch', base: 'https://opensearch.test' }],
    open: (deps) =>
      new OpenSearchStore(
        opensearch.settings.parse({
          ...{ url: 'https://opensearch.test', index_name: 'shared' },
          ...{ username: 'user', password: PASSWORD },
        }),
        deps,
      ),
  },
];
