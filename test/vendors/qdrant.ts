import { type Answer, type Behaviour, Refused, type VendorRequest } from './behaviour.ts';
import {
  type Collection,
  type GivenPoint,
  type Point,
  parseVectors,
  type SetPayload,
  select,
  setPayload,
  updateVectors,
} from './qdrant/collection.ts';
import type { FieldIndex, Filter } from './qdrant/filter.ts';
import { type Query, runQuery, runScroll, type Scroll } from './qdrant/search.ts';

// In-memory collections with linear search.

const qdrantError = (_: number, error: string) => ({ status: { error }, time: 0.001 });

const done = (result: unknown): Answer => ({ body: { result, status: 'ok', time: 0.001 } });
const completed = () => done({ operation_id: 1, status: 'completed' });

/** Key that may not change data. */
const READ_ONLY_KEY = 'read-only';

/** Collection of the samples, which are sent without creating one first. */
const SAMPLE_NAME = 'sample';
const SAMPLE_ID = crypto.randomUUID();
const SAMPLE_PARAMS = {
  ...{ protocol: 'https', hostname: 'vectors.test', port: '6333' },
  collection_name: SAMPLE_NAME,
};

function findRequestedCollection({ memory, params }: VendorRequest): Collection {
  const name = params.collection_name!;
  const found = memory.get(name) as Collection | undefined;
  if (found) return found;
  if (name === SAMPLE_NAME) return createSampleCollection();
  throw new Refused({ status: 404, message: `Not found: Collection \`${name}\` doesn't exist!` });
}

const createSampleCollection = (): Collection => ({
  size: 2,
  distance: 'Cosine',
  sparse: { w: { modifier: 'idf' } },
  indexes: new Map([
    ['a', { type: 'keyword' }],
    ['n', { type: 'integer' }],
  ]),
  points: new Map([[SAMPLE_ID, { id: SAMPLE_ID, vectors: { '': [1, 0] }, payload: {} }]]),
});

/** Largest request body in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Converts exceptions to the vendor's errors. */
const answering = (answer: (request: VendorRequest) => Answer) => (request: VendorRequest) => {
  try {
    if (request.text.length > MAX_BYTES)
      throw new Refused({ status: 413, message: 'Payload error: JSON payload is larger than allowed' });
    return answer(request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: qdrantError(error.status, error.message) };
  }
};

type UpdateOperation = { set_payload: SetPayload } | { update_vectors: { points: GivenPoint[] } };

const COLLECTION = '/collections/{collection_name}';
const SAMPLE_WORDS = { indices: [1, 2], values: [0.5, 1] };
const SAMPLE_FILTER = { must: [{ key: 'a', match: { value: 'x' } }] };
const SAMPLE_QUERY_FILTER = {
  must: [...SAMPLE_FILTER.must, { should: [{ key: 'a', match: { any: ['x', 'y'] } }] }],
};

export const qdrant: Behaviour = {
  name: 'qdrant',
  error: qdrantError,
  authenticate: ({ headers, settings, method }) => {
    if (headers['api-key'] === settings.key) return undefined;
    if (headers['api-key'] === READ_ONLY_KEY && method === 'GET') return undefined;
    return { status: 403, message: 'Invalid API key or JWT' };
  },
  sign: (_, { key }) => ({ 'api-key': String(key) }),
  settings: { key: 'key-of-the-vendor' },
  operations: {
    [`GET ${COLLECTION}`]: {
      sample: { params: SAMPLE_PARAMS },
      answer: answering((request) => {
        const { size, distance, sparse, points } = findRequestedCollection(request);
        return done({
          status: 'green',
          optimizer_status: 'ok',
          points_count: points.size,
          segments_count: 1,
          payload_schema: {},
          config: {
            params: { vectors: request.settings.vectors ?? { size, distance }, sparse_vectors: sparse },
            hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000 },
            optimizer_config: {
              deleted_threshold: 0.2,
              vacuum_min_vector_number: 1000,
              default_segment_number: 0,
              flush_interval_sec: 5,
            },
          },
        });
      }),
    },
    [`PUT ${COLLECTION}`]: {
      sample: {
        params: SAMPLE_PARAMS,
        body: {
          vectors: { size: 2, distance: 'Cosine' },
          sparse_vectors: { w: { modifier: 'idf' } },
        },
        freeForm: ['sparse_vectors'],
      },
      answer: answering(({ memory, params, body }) => {
        const name = params.collection_name!;
        if (memory.has(name)) {
          const message = `Wrong input: Collection \`${name}\` already exists!`;
          throw new Refused({ status: 409, message });
        }
        const { vectors, sparse_vectors: sparse = {} } = body as {
          vectors: Pick<Collection, 'size' | 'distance'>;
          sparse_vectors?: Collection['sparse'];
        };
        memory.set(name, {
          ...vectors,
          sparse,
          indexes: new Map<string, FieldIndex>(),
          points: new Map<string, Point>(),
        });
        return done(true);
      }),
    },
    [`PUT ${COLLECTION}/index`]: {
      sample: {
        params: SAMPLE_PARAMS,
        query: { wait: 'true' },
        body: { field_name: 'a', field_schema: { type: 'keyword', is_tenant: true } },
      },
      answer: answering((request) => {
        const { field_name, field_schema } = request.body as {
          field_name: string;
          field_schema: FieldIndex;
        };
        findRequestedCollection(request).indexes.set(field_name, field_schema);
        return completed();
      }),
    },
    [`PUT ${COLLECTION}/points`]: {
      sample: {
        params: SAMPLE_PARAMS,
        query: { wait: 'true' },
        body: {
          points: [
            { id: crypto.randomUUID(), vector: [1, 0], payload: { a: 'x' } },
            { id: crypto.randomUUID(), vector: { '': [1, 0], w: SAMPLE_WORDS } },
          ],
        },
        freeForm: ['points.0.payload', 'points.1.vector'],
      },
      answer: answering((request) => {
        const collection = findRequestedCollection(request);
        const { points } = request.body as { points: GivenPoint[] };
        const parsed = points.map(({ id, vector, payload = {} }): Point => {
          return { id, vectors: parseVectors(collection, vector), payload };
        });
        for (const point of parsed) collection.points.set(point.id, point);
        return completed();
      }),
    },
    [`POST ${COLLECTION}/points`]: {
      sample: {
        params: SAMPLE_PARAMS,
        body: { ids: [crypto.randomUUID()], with_payload: false, with_vector: false },
      },
      answer: answering((request) => {
        const { points } = findRequestedCollection(request);
        const { ids } = request.body as { ids: string[] };
        return done(ids.filter((id) => points.has(id)).map((id) => ({ id })));
      }),
    },
    [`POST ${COLLECTION}/points/delete`]: {
      sample: { params: SAMPLE_PARAMS, query: { wait: 'true' }, body: { filter: SAMPLE_FILTER } },
      answer: answering((request) => {
        const collection = findRequestedCollection(request);
        const { points, filter } = request.body as { points?: string[]; filter?: Filter };
        const ids = points ?? select(collection, filter).map(({ id }) => id);
        for (const id of ids) collection.points.delete(id);
        return completed();
      }),
    },
    [`POST ${COLLECTION}/points/payload`]: {
      sample: {
        params: SAMPLE_PARAMS,
        query: { wait: 'true' },
        body: { payload: { a: 'x' }, filter: SAMPLE_FILTER },
        freeForm: ['payload'],
      },
      answer: answering((request) => {
        setPayload(findRequestedCollection(request), request.body as SetPayload);
        return completed();
      }),
    },
    [`POST ${COLLECTION}/points/query`]: {
      sample: {
        params: SAMPLE_PARAMS,
        body: { query: [1, 0], limit: 3, filter: SAMPLE_QUERY_FILTER, with_payload: ['a'] },
      },
      answer: answering((request) => {
        return done({ points: runQuery(findRequestedCollection(request), request.body as Query) });
      }),
    },
    [`POST ${COLLECTION}/points/query/batch`]: {
      sample: {
        params: SAMPLE_PARAMS,
        body: {
          searches: [
            { query: [1, 0], limit: 3, filter: SAMPLE_FILTER, with_payload: ['a'] },
            {
              prefetch: { query: SAMPLE_WORDS, using: 'w', filter: SAMPLE_FILTER, limit: 6 },
              ...{ query: SAMPLE_WORDS, using: 'w', limit: 3, with_payload: ['a'] },
              params: { idf: { corpus: SAMPLE_FILTER } },
            },
          ],
        },
      },
      answer: answering((request) => {
        const collection = findRequestedCollection(request);
        const { searches } = request.body as { searches: Query[] };
        return done(searches.map((search) => ({ points: runQuery(collection, search) })));
      }),
    },
    [`POST ${COLLECTION}/points/scroll`]: {
      sample: {
        params: SAMPLE_PARAMS,
        body: {
          ...{ filter: SAMPLE_FILTER, limit: 3, with_payload: ['a'], with_vector: false },
          order_by: { key: 'n', start_from: 5 },
        },
      },
      answer: answering((request) =>
        done(runScroll(findRequestedCollection(request), request.body as Scroll)),
      ),
    },
    [`POST ${COLLECTION}/points/batch`]: {
      sample: {
        params: SAMPLE_PARAMS,
        query: { wait: 'true' },
        body: {
          operations: [
            { set_payload: { payload: { a: 'x' }, points: [SAMPLE_ID] } },
            { update_vectors: { points: [{ id: SAMPLE_ID, vector: { w: SAMPLE_WORDS } }] } },
          ],
        },
        freeForm: ['operations.0.set_payload.payload', 'operations.1.update_vectors.points.0.vector'],
      },
      answer: answering((request) => {
        const collection = findRequestedCollection(request);
        const { operations } = request.body as { operations: UpdateOperation[] };
        for (const operation of operations) {
          if ('set_payload' in operation) setPayload(collection, operation.set_payload);
          else updateVectors(collection, operation.update_vectors);
        }
        return done(operations.map((_, at) => ({ operation_id: at, status: 'completed' })));
      }),
    },
  },
};
