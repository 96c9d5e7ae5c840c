import { type Answer, type Behaviour, Refused, type VendorRequest } from '../behaviour.ts';
import { applyAction, failItem, readActions } from './bulk.ts';
import {
  Cluster,
  change,
  createIndex,
  type Index,
  listVisible,
  type Product,
  refresh,
  SAMPLE,
} from './cluster.ts';
import { checkFields, type Fields, mergeFields } from './mapping.ts';
import { compileQuery, type Query } from './query.ts';
import { type Search, search } from './search.ts';

// OpenSearch and Elasticsearch with indexes in memory and an exact search by vector.

const LARGEST_BULK = 10_000_000;
/** Password and API key that may read but not write. */
const READ_ONLY = 'read-only';
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

const toBase64 = (text: string) => Buffer.from(text).toString('base64');
const isReadOnly = ({ headers }: Pick<VendorRequest, 'headers'>) =>
  headers.authorization === `ApiKey ${READ_ONLY}` ||
  headers.authorization === `Basic ${toBase64(`user:${READ_ONLY}`)}`;

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

function writeBulk(request: VendorRequest, cluster: Cluster): Answer {
  if (request.text.length > LARGEST_BULK)
    throw new Refused({ status: 413, message: 'the request is too large' });
  if (!request.text.endsWith('\n'))
    throw new Refused({ status: 400, message: 'The bulk request must be terminated by a newline [\\n]' });
  const { index: target = '' } = request.params;
  const actions = readActions(request.body as Record<string, unknown>[]);
  const busy = request.trouble?.startsWith('busy')
    ? Number(request.trouble.slice('busy '.length))
    : undefined;
  const index = attempt(() => cluster.getForWrite(target, request.query.require_alias === 'true'));
  const items = actions.map((action, at) => {
    if (isReadOnly(request))
      return failItem(action, target, { status: 403, type: 'security_exception', reason: 'no permissions' });
    if (index instanceof Refused)
      return failItem(action, target, {
        status: 404,
        type: 'index_not_found_exception',
        reason: index.message,
      });
    const isBusy = busy !== undefined && at % 2 === 0;
    const failure = { status: busy ?? 0, type: 'rejected_execution_exception', reason: 'the queue is full' };
    return isBusy ? failItem(action, target, failure) : applyAction(index, action);
  });
  if (request.query.refresh === 'true' && !(index instanceof Refused)) refresh(index);
  const errors = items.some((item) => Object.values(item).some((result) => 'error' in result));
  const shown = request.trouble === 'lost results' ? items.slice(1) : items;
  return { body: { took: 1, errors, items: shown } };
}

function attempt<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

function deleteByQuery(request: VendorRequest, index: Index): Answer {
  if (isReadOnly(request)) throw new Refused({ status: 403, message: 'no permissions for delete by query' });
  const { query } = request.body as { query: Query };
  const passes = compileQuery(query, { fields: index.fields, allowsExpensive: true });
  const most = Number(request.query.max_docs ?? Number.POSITIVE_INFINITY);
  const found = listVisible(index)
    .filter(([, source]) => passes(source))
    .slice(0, most);
  // A document that changed since the last refresh is not the one that the search found.
  const isStale = ([id]: [string, unknown]) => index.unrefreshed.has(id) || request.trouble === 'conflict';
  const conflicts = found.filter(isStale);
  if (conflicts.length > 0 && request.query.conflicts !== 'proceed')
    throw new Refused({ status: 409, message: 'version conflict' });
  const gone = found.filter((each) => !isStale(each));
  for (const [id] of gone) change(index, id, undefined);
  if (request.query.refresh === 'true') refresh(index);
  return {
    body: {
      ...{
        took: 1,
        timed_out: false,
        total: found.length,
        deleted: gone.length,
        batches: 1,
        noops: 0,
        failures: [],
      },
      ...{ version_conflicts: conflicts.length, retries: { bulk: 0, search: 0 }, throttled_millis: 0 },
      ...{ requests_per_second: -1, throttled_until_millis: 0 },
    },
  };
}

function lookUp(request: VendorRequest, cluster: Cluster): Answer {
  const { ids } = request.body as { ids: string[] };
  const name = request.params.index!;
  const index = cluster.find(name);
  const docs = ids.map((_id) => {
    if (!index)
      return {
        _index: name,
        _id,
        error: { type: 'index_not_found_exception', reason: `no such index [${name}]` },
      };
    if (request.trouble === 'broken shard')
      return { _index: name, _id, error: { type: 'illegal_state_exception', reason: 'no shard' } };
    return {
      _index: name,
      _id,
      ...(index.points.has(_id) ? { _version: 1, found: true } : { found: false }),
    };
  });
  return { body: { docs } };
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

function createBehaviour(product: Product): Behaviour {
  const answering =
    (answer: (request: VendorRequest, cluster: Cluster) => Answer) => (request: VendorRequest) =>
      answer(request, new Cluster(request, product));
  const acknowledged = { body: { acknowledged: true } };
  const vector =
    product === 'opensearch' ? { type: 'knn_vector', dimension: 2 } : { type: 'dense_vector', dims: 2 };
  const mapping = { properties: { document_id: { type: 'keyword' }, vector } };
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
      'GET /': { sample: {}, answer: answering((request) => describeCluster(product, request)) },
      'GET /{index}': {
        sample: { params: PARAMS },
        answer: answering(({ params }, cluster) => ({ body: describeIndex(cluster.get(params.index!)) })),
      },
      'PUT /{index}': {
        sample: {
          params: { index: 'new' },
          body: { mappings: { dynamic: 'false', ...mapping }, aliases: { other: {} } },
          freeForm: ['mappings.properties', 'aliases'],
        },
        answer: answering(create),
      },
      'PUT /{index}/_mapping': {
        sample: { params: PARAMS, body: mapping, freeForm: ['properties'] },
        answer: answering(({ params, body }, cluster) => {
          mergeFields(cluster.get(params.index!).fields, (body as { properties: Fields }).properties);
          return acknowledged;
        }),
      },
      'PUT /{index}/_alias/{name}': {
        sample: { params: { ...PARAMS, name: 'other' } },
        answer: answering(({ params }, cluster) => {
          cluster.get(params.index!).aliases.set(params.name!, {});
          return acknowledged;
        }),
      },
      'POST /{index}/_bulk': {
        sample: {
          params: PARAMS,
          query: { refresh: 'true', require_alias: 'false' },
          headers: { 'content-type': 'application/x-ndjson' },
          body: [{ index: { _id: 'a' } }, { document_id: 'a' }],
          freeForm: [''],
        },
        answer: answering(writeBulk),
      },
      'POST /{index}/_mget': {
        sample: { params: PARAMS, query: { _source: 'false' }, body: { ids: ['a'] } },
        answer: answering(lookUp),
      },
      'POST /{index}/_delete_by_query': {
        sample: {
          params: PARAMS,
          query: { conflicts: 'proceed', refresh: 'true', max_docs: '5' },
          body: { query: SAMPLE_FILTER },
          freeForm: listFieldMaps('query'),
        },
        answer: answering((request, cluster) => deleteByQuery(request, cluster.get(request.params.index!))),
      },
      'POST /{index}/_search': {
        sample: {
          params: PARAMS,
          query: { allow_partial_search_results: 'false' },
          ...sampleSearch(product),
        },
        answer: answering(({ params, body, settings, trouble }, cluster) => {
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
    },
  };
}

export const opensearch = createBehaviour('opensearch');
export const elasticsearch = createBehaviour('elasticsearch');
