import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';

// In-memory collections with linear search. Filters need an index of the right type, as in strict mode of
// Qdrant.

type Payload = Record<string, unknown>;
interface Point {
  id: string;
  vector: number[];
  payload: Payload;
}
interface Collection {
  size: number;
  distance: string;
  /** Index type by member. */
  indexes: Map<string, string>;
  points: Map<string, Point>;
}
interface FieldCondition {
  key: string;
  match?: { value?: unknown; any?: unknown[] };
  range?: Record<'lt' | 'lte' | 'gt' | 'gte', number | undefined>;
}
type Condition = FieldCondition | Filter;
interface Filter {
  must?: Condition[];
  should?: Condition[];
}

const qdrantError = (_: number, error: string) => ({ status: { error }, time: 0.001 });

/** Request that the vendor rejects because of its content. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const done = (result: unknown): Answer => ({ body: { result, status: 'ok', time: 0.001 } });
const completed = () => done({ operation_id: 1, status: 'completed' });

/** Key that may not change data. */
const READ_ONLY_KEY = 'read-only';

/** Collection of the samples, which are sent without creating one first. */
const SAMPLE_NAME = 'sample';
const SAMPLE_PARAMS = {
  ...{ protocol: 'https', hostname: 'vectors.test', port: '6333' },
  collection_name: SAMPLE_NAME,
};

function findRequestedCollection({ memory, params }: VendorRequest): Collection {
  const name = params.collection_name!;
  const found = memory.get(name) as Collection | undefined;
  if (found) return found;
  if (name === SAMPLE_NAME) {
    return { size: 2, distance: 'Cosine', indexes: new Map([['a', 'keyword']]), points: new Map() };
  }
  throw new Refused(404, `Not found: Collection \`${name}\` doesn't exist!`);
}

function checkSize(collection: Collection, vector: number[]): void {
  if (vector.length === collection.size) return;
  throw new Refused(
    400,
    `Wrong input: Vector dimension error: expected dim: ${collection.size}, got ${vector.length}`,
  );
}

function selected({ points, indexes }: Collection, filter: Filter = {}): Point[] {
  for (const condition of fieldsIn(filter)) checkIndex(indexes, condition);
  return [...points.values()].filter(({ payload }) => holds(payload, filter));
}

function fieldsIn({ must = [], should = [] }: Filter): FieldCondition[] {
  return [...must, ...should].flatMap((part) => ('key' in part ? part : fieldsIn(part)));
}

function checkIndex(indexes: Map<string, string>, { key, match, range }: FieldCondition): void {
  const items = match?.any ?? [match?.value];
  const hasType = (type: string) => items.every((item) => typeof item === type);
  const able = range
    ? ['integer', 'float']
    : hasType('string')
      ? ['keyword']
      : hasType('boolean')
        ? ['bool']
        : ['integer'];
  if (!able.includes(indexes.get(key) ?? '')) {
    throw new Refused(
      400,
      `Bad request: Index required but not found for "${key}" of one of the following types: [${able}]`,
    );
  }
}

function holds(payload: Payload, condition: Condition): boolean {
  if ('key' in condition) return holdsFor([payload[condition.key] ?? []].flat(), condition);
  const { must = [], should = [] } = condition;
  const isOne = should.length === 0 || should.some((part) => holds(payload, part));
  return isOne && must.every((part) => holds(payload, part));
}

function holdsFor(values: unknown[], { match, range }: FieldCondition): boolean {
  return values.some((value) => {
    if (match?.any) return match.any.includes(value);
    if (match) return match.value === value;
    if (!range || typeof value !== 'number') return false;
    const { lt = Number.POSITIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = range;
    const { gt = Number.NEGATIVE_INFINITY, gte = Number.NEGATIVE_INFINITY } = range;
    return value < lt && value <= lte && value > gt && value >= gte;
  });
}

function cosine(one: number[], other: number[]): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}

/** Converts exceptions to the vendor's errors. */
const answering = (answer: (request: VendorRequest) => Answer) => (request: VendorRequest) => {
  try {
    return answer(request);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: qdrantError(error.status, error.message) };
  }
};

const COLLECTION = '/collections/{collection_name}';
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
        const { size, distance, points } = findRequestedCollection(request);
        return done({
          status: 'green',
          optimizer_status: 'ok',
          points_count: points.size,
          segments_count: 1,
          payload_schema: {},
          config: {
            params: { vectors: request.settings.vectors ?? { size, distance } },
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
      sample: { params: SAMPLE_PARAMS, body: { vectors: { size: 2, distance: 'Cosine' } } },
      answer: answering(({ memory, params, body }) => {
        const name = params.collection_name!;
        if (memory.has(name)) throw new Refused(409, `Wrong input: Collection \`${name}\` already exists!`);
        const { vectors } = body as { vectors: { size: number; distance: string } };
        memory.set(name, {
          ...vectors,
          indexes: new Map<string, string>(),
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
          field_schema: { type: string };
        };
        findRequestedCollection(request).indexes.set(field_name, field_schema.type);
        return completed();
      }),
    },
    [`PUT ${COLLECTION}/points`]: {
      sample: {
        params: SAMPLE_PARAMS,
        query: { wait: 'true' },
        body: { points: [{ id: crypto.randomUUID(), vector: [1, 0], payload: { a: 'x' } }] },
        freeForm: ['points.0.payload'],
      },
      answer: answering((request) => {
        const collection = findRequestedCollection(request);
        const { points } = request.body as { points: Point[] };
        for (const { vector } of points) checkSize(collection, vector);
        for (const point of points) collection.points.set(point.id, point);
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
        const ids = points ?? selected(collection, filter).map(({ id }) => id);
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
        const { payload, filter } = request.body as { payload: Payload; filter: Filter };
        for (const point of selected(findRequestedCollection(request), filter))
          Object.assign(point.payload, payload);
        return completed();
      }),
    },
    [`POST ${COLLECTION}/points/query`]: {
      sample: {
        params: SAMPLE_PARAMS,
        body: { query: [1, 0], limit: 3, filter: SAMPLE_QUERY_FILTER, with_payload: ['a'] },
      },
      answer: answering((request) => {
        const { query, limit, filter, with_payload } = request.body as {
          query: number[];
          limit: number;
          filter: Filter;
          with_payload: string[];
        };
        const collection = findRequestedCollection(request);
        checkSize(collection, query);
        const points = selected(collection, filter)
          .map(({ id, vector, payload }) => ({
            id,
            version: 1,
            score: cosine(query, vector),
            payload: Object.fromEntries(with_payload.map((name) => [name, payload[name]])),
          }))
          .sort((a, b) => b.score - a.score)
          .slice(0, limit);
        return done({ points });
      }),
    },
  },
};
