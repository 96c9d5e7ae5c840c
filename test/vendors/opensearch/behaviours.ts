import { type Answer, type Behaviour, Refused, type VendorRequest } from '../behaviour.ts';
import { Cluster, createIndex, type Index, type Product, SAMPLE } from './cluster.ts';
import { deleteByQuery, isReadOnly, lookUp, toBase64, writeBulk } from './documents.ts';
import { checkFields, type Fields, mergeFields } from './mapping.ts';
import { searchSeveral } from './multi-search.ts';
import { type Search, search } from './search.ts';

// OpenSearch and Elasticsearch with indexes in memory and an exact search by vector.

const ERROR_TYPES: Record<number, string> = {
  401: 'security_exception',
  403: 'security_exception',
  404: 'index_not_found_exception',
  413: 'content_too_long_exception',
};

function buildError(status: number, reason: string) {
  const type =
    ERROR_TYPES[status] ??
    (/already exists/.test(reason) ? 'resource_already_exists_exception' : 'illegal_argument_exception');
  // Failed searches have a general reason. The real one is in `root_cause`.
  const general = { type: 'search_phase_execution_exception', reason: 'all shards failed' };
  return {
    error: { root_cause: [{ type, reason }], ...(status === 500 ? general : { type, reason }) },
    status,
  };
}

function describeCluster(product: Product, { settings }: VendorRequest): Answer {
  const isOpenSearch = product === 'opensearch';
  return {
    body: {
      ...{ name: 'node', cluster_name: 'cluster', cluster_uuid: 'AAAAAAAAAAAAAAAAAAAAAA' },
      version: {
        ...(isOpenSearch ? { distribution: 'opensearch' } : { build_flavor: 'default' }),
        ...{ number: isOpenSearch ? '3.1.0' : '9.1.0', build_type: 'docker', build_hash: 'abc' },
        ...{ build_date: '2026-01-01T00:00:00.000Z', build_snapshot: false, lucene_version: '10.2.1' },
        ...{ minimum_wire_compatibility_version: '2.19.0', minimum_index_compatibility_version: '2.0.0' },
        ...(settings.version as object | undefined),
      },
      tagline:
        settings.tagline ??
        (isOpenSearch ? 'The OpenSearch Project: https://opensearch.org/' : 'You Know, for Search'),
    },
  };
}

function describeIndex({ name, fields, dynamic, settings, aliases }: Index) {
  const mappings = { dynamic: String(dynamic), properties: fields };
  const index = Object.fromEntries(
    Object.entries(settings.index ?? {}).map(([key, value]) => [key, String(value)]),
  );
  return { [name]: { aliases: Object.fromEntries(aliases), mappings, settings: { index } } };
}

function create(request: VendorRequest, cluster: Cluster): Answer {
  const name = request.params.index!;
  if (cluster.find(name)) throw new Refused({ status: 400, message: `index [${name}] already exists` });
  const {
    mappings = {},
    settings = {},
    aliases = {},
  } = request.body as {
    mappings?: { properties?: Fields; dynamic?: unknown };
    settings?: Index['settings'];
    aliases?: Record<string, unknown>;
  };
  const { properties: fields = {}, dynamic = 'true' } = mappings;
  checkFields(fields);
  cluster.add(createIndex(name, { fields, dynamic, settings, aliases: new Map(Object.entries(aliases)) }));
  return { body: { acknowledged: true, shards_acknowledged: true, index: name } };
}

const SAMPLE_FILTER = {
  bool: {
    filter: [
      { term: { document_id: { value: 'a' } } },
      { terms: { document_id: ['a', 'b'] } },
      { range: { version: { lte: 3 } } },
      { bool: { should: [{ range: { document_id: { gte: 'a', lte: 'b' } } }], minimum_should_match: 1 } },
    ],
  },
};
/** Members whose own members are names of fields. */
const FIELD_MAPS = ['filter.0.term', 'filter.1.terms', 'filter.2.range', 'filter.3.bool.should.0.range'];
const listFieldMaps = (at: string) => FIELD_MAPS.map((each) => `${at}.bool.${each}`);
const PARAMS = { index: SAMPLE };

function sampleSearch(product: Product) {
  const rest = { size: 3, track_total_hits: false, _source: { includes: ['document_id'] } };
  return product === 'opensearch'
    ? {
        body: { query: { knn: { vector: { vector: [1, 0], k: 3, filter: SAMPLE_FILTER } } }, ...rest },
        freeForm: ['query.knn'],
      }
    : {
        body: {
          knn: { field: 'vector', query_vector: [1, 0], k: 3, num_candidates: 9, filter: SAMPLE_FILTER },
          ...rest,
        },
        freeForm: listFieldMaps('knn.filter'),
      };
}

type Operations = Behaviour['operations'];

const answering =
  (product: Product, answer: (request: VendorRequest, cluster: Cluster) => Answer) =>
  (request: VendorRequest) =>
    answer(request, new Cluster(request, product));

function createIndexOperations(product: Product): Operations {
  const acknowledged = { body: { acknowledged: true } };
  const vector =
    product === 'opensearch' ? { type: 'knn_vector', dimension: 2 } : { type: 'dense_vector', dims: 2 };
  const mapping = { properties: { document_id: { type: 'keyword' }, vector } };
  return {
    'GET /': { sample: {}, answer: answering(product, (request) => describeCluster(product, request)) },
    'GET /{index}': {
      sample: { params: PARAMS },
      answer: answering(product, ({ params }, cluster) => ({
        body: describeIndex(cluster.get(params.index!)),
      })),
    },
    'PUT /{index}': {
      sample: {
        params: { index: 'new' },
        body: { mappings: { dynamic: 'false', ...mapping }, aliases: { other: {} } },
        freeForm: ['mappings.properties', 'aliases'],
      },
      answer: answering(product, create),
    },
    'PUT /{index}/_mapping': {
      sample: { params: PARAMS, body: mapping, freeForm: ['properties'] },
      answer: answering(product, ({ params, body }, cluster) => {
        mergeFields(cluster.get(params.index!).fields, (body as { properties: Fields }).properties);
        return acknowledged;
      }),
    },
    'PUT /{index}/_alias/{name}': {
      sample: { params: { ...PARAMS, name: 'other' } },
      answer: answering(product, ({ params }, cluster) => {
        cluster.get(params.index!).aliases.set(params.name!, {});
        return acknowledged;
      }),
    },
  };
}

function createDocumentOperations(product: Product): Operations {
  return {
    'POST /{index}/_bulk': {
      sample: {
        params: PARAMS,
        query: { refresh: 'true', require_alias: 'false' },
        headers: { 'content-type': 'application/x-ndjson' },
        body: [{ index: { _id: 'a' } }, { document_id: 'a' }],
        freeForm: [''],
      },
      answer: answering(product, writeBulk),
    },
    'POST /{index}/_mget': {
      sample: { params: PARAMS, query: { _source: 'false' }, body: { ids: ['a'] } },
      answer: answering(product, lookUp),
    },
    'POST /{index}/_delete_by_query': {
      sample: {
        params: PARAMS,
        query: { conflicts: 'proceed', refresh: 'true', max_docs: '5' },
        body: { query: SAMPLE_FILTER },
        freeForm: listFieldMaps('query'),
      },
      answer: answering(product, (request, cluster) =>
        deleteByQuery(request, cluster.get(request.params.index!)),
      ),
    },
    'POST /{index}/_search': {
      sample: {
        params: PARAMS,
        query: { allow_partial_search_results: 'false' },
        ...sampleSearch(product),
      },
      answer: answering(product, ({ params, body, settings, trouble }, cluster) => {
        const found = search(
          cluster.get(params.index!),
          body as Search,
          product,
          settings.allowsExpensive !== false,
        );
        if (trouble !== 'a part') return { body: found };
        return { body: { ...found, _shards: { total: 2, successful: 1, skipped: 0, failed: 1 } } };
      }),
    },
  };
}

function createMultiSearch(product: Product): Operations {
  const { body, freeForm } = sampleSearch(product);
  const words = { bool: { should: [{ term: { words: { value: 'en:walrus', boost: 2 } } }] } };
  return {
    'POST /{index}/_msearch': {
      sample: {
        params: PARAMS,
        headers: { 'content-type': 'application/x-ndjson' },
        body: [
          { allow_partial_search_results: false },
          body,
          { search_type: 'dfs_query_then_fetch' },
          { query: words, size: 3 },
        ],
        freeForm: [...freeForm.map((each) => `1.${each}`), '3.query.bool.should.0.term'],
      },
      answer: answering(product, (request, cluster) => searchSeveral(request, cluster, product, buildError)),
    },
  };
}

function createBehaviour(product: Product): Behaviour {
  return {
    name: product,
    error: buildError,
    authenticate(request) {
      const { settings, headers } = request;
      const isRight = [`ApiKey ${settings.key}`, `Basic ${toBase64(`user:${settings.password}`)}`].includes(
        headers.authorization ?? '',
      );
      return isRight || isReadOnly(request)
        ? undefined
        : { status: 401, message: 'unable to authenticate user' };
    },
    sign: (_, { password }) => ({ authorization: `Basic ${toBase64(`user:${password}`)}` }),
    settings: { key: 'key-of-the-vendor', password: 'password-of-the-vendor' },
    operations: {
      ...createIndexOperations(product),
      ...createDocumentOperations(product),
      ...createMultiSearch(product),
    },
  };
}

export const opensearch = createBehaviour('opensearch');
export const elasticsearch = createBehaviour('elasticsearch');
