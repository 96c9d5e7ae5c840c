import type { Answer, Behaviour, VendorRequest } from '../behaviour.ts';
import { compileFilterTest, isObject, type Metadata, WrongFilter } from './filter.ts';

// In-memory index with namespaces and linear search. It checks filters, metadata types and the documented
// limits.

interface Held {
  id: string;
  values: number[];
  metadata: Metadata;
}
type Namespace = Map<string, Held>;

const KEY = 'key-of-the-vendor';
const LARGEST = { request: 2_000_000, answer: 4_000_000, metadata: 40_960 };

/** Request that the vendor rejects because of its content. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const CODES: Record<number, string> = { 401: 'UNAUTHENTICATED', 404: 'NOT_FOUND' };
const controlError = (status: number, message: string) => ({
  status,
  error: { code: CODES[status] ?? 'INVALID_ARGUMENT', message },
});
const dataError = (status: number, message: string) => ({
  code: status === 404 ? 5 : 3,
  message,
  details: [],
});

const credentials = {
  authenticate: ({ headers, settings }: Pick<VendorRequest, 'headers' | 'settings'>) =>
    headers['api-key'] === settings.key ? undefined : { status: 401, message: 'Invalid API Key' },
  sign: (_: unknown, { key }: Record<string, unknown>) => ({ 'api-key': String(key) }),
};
const VERSION = { 'x-pinecone-api-version': '2025-10' };

/** Settings of the index, shared by both behaviours. */
const INDEX = { key: KEY, dimension: 8, metric: 'cosine', filterable: undefined };

export const pineconeControl: Behaviour = {
  name: 'pinecone-control',
  error: controlError,
  ...credentials,
  settings: {
    ...INDEX,
    host: 'the-index-abc.svc.aped.pinecone.io',
    ready: true,
    state: 'Ready',
    absent: 'absent',
  },
  operations: {
    'GET /indexes/{index_name}': {
      sample: { params: { index_name: 'an-index' }, headers: VERSION },
      answer({ params, settings }) {
        const name = params.index_name!;
        if (name === settings.absent) {
          return { status: 404, body: controlError(404, `Resource ${name} not found`) };
        }
        const { dimension, metric, host, ready, state, filterable, vectorType = 'dense' } = settings;
        const fields = (filterable as string[] | undefined)?.map((field) => [field, { filterable: true }]);
        const serverless = {
          ...{ cloud: 'aws', region: 'us-east-1' },
          read_capacity: {
            mode: 'OnDemand',
            status: { state: 'Ready' },
          },
          ...(fields && { schema: { fields: Object.fromEntries(fields) } }),
        };
        return {
          body: {
            ...{ name, metric, host, deletion_protection: 'disabled', tags: {} },
            ...(vectorType === 'dense' && { dimension }),
            vector_type: vectorType,
            spec: { serverless },
            status: { ready, state },
          },
        };
      },
    },
  },
};

const findNamespace = ({ memory }: VendorRequest, name = ''): Namespace | undefined =>
  memory.get(`namespace ${name === '__default__' ? '' : name}`) as Namespace | undefined;

function mustHave(request: VendorRequest, name?: string): Namespace {
  const found = findNamespace(request, name);
  if (found) return found;
  if (name === SAMPLE_NAMESPACE) return new Map();
  throw new Refused(404, 'Namespace not found');
}

function selected(namespace: Namespace | undefined, filter: unknown, { settings }: VendorRequest): Held[] {
  const filterable = settings.filterable as string[] | undefined;
  const all = [...(namespace?.values() ?? [])];
  if (filter === undefined) return all;
  try {
    const test = compileFilterTest(filter, (field) => !filterable || filterable.includes(field));
    return all.filter(({ metadata }) => test(metadata));
  } catch (error) {
    throw error instanceof WrongFilter ? new Refused(400, error.message) : error;
  }
}

const measureBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

function checkMetadata(metadata: Metadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (name.startsWith('$')) throw new Refused(400, `metadata key ${name} starts with $`);
    if (!isList && !['string', 'number', 'boolean'].includes(typeof value)) {
      throw new Refused(400, 'Metadata value must be a string, number, boolean or list of strings');
    }
  }
  const bytes = measureBytes(metadata);
  if (bytes > LARGEST.metadata) {
    throw new Refused(
      400,
      `Metadata size is ${bytes} bytes, which exceeds the limit of ${LARGEST.metadata} bytes`,
    );
  }
}

function checkValues(values: number[], { settings: { dimension } }: VendorRequest): void {
  if (values.length !== dimension) {
    throw new Refused(
      400,
      `Vector dimension ${values.length} does not match the dimension of the index ${dimension}`,
    );
  }
  if (values.every((x) => x === 0)) {
    throw new Refused(400, 'Dense vectors must contain at least one non-zero value');
  }
}

function computeScore(one: number[], other: number[], metric: unknown): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return metric === 'dotproduct' ? dot : dot / (Math.hypot(...one) * Math.hypot(...other));
}

/** Converts exceptions to the vendor's errors. */
const answering =
  (answer: (request: VendorRequest) => unknown) =>
  (request: VendorRequest): Answer => {
    try {
      const { length } = Buffer.from(request.text);
      if (length > LARGEST.request) throw new Refused(400, `message length too large: found ${length} bytes`);
      const body = answer(request);
      if (measureBytes(body) > LARGEST.answer) throw new Refused(400, 'the result is larger than 4 MB');
      return { body };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: error.status, body: dataError(error.status, error.message) };
    }
  };

const SAMPLE_NAMESPACE = 'sample';
const SAMPLE = { params: { index_host: 'an-index.svc.aped' }, headers: VERSION };
const SAMPLE_VALUES = [1, 0, 0, 0, 0, 0, 0, 0];
const SAMPLE_FILTER = { a: { $eq: 'x' } };

export const pineconeData: Behaviour = {
  name: 'pinecone-data',
  error: dataError,
  ...credentials,
  settings: INDEX,
  operations: {
    'POST /vectors/upsert': {
      sample: {
        ...SAMPLE,
        body: {
          namespace: SAMPLE_NAMESPACE,
          vectors: [{ id: 'a', values: SAMPLE_VALUES, metadata: { a: 'x' } }],
        },
        freeForm: ['vectors.0.metadata'],
      },
      answer: answering((request) => {
        const { namespace = '', vectors } = request.body as { namespace?: string; vectors: Held[] };
        for (const { id, values, metadata } of vectors) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: what ASCII is
          if (!/^[\x01-\x7f]{1,512}$/.test(id)) throw new Refused(400, 'Vector ID must be ASCII');
          checkValues(values, request);
          checkMetadata(metadata);
        }
        const held = findNamespace(request, namespace) ?? new Map<string, Held>();
        request.memory.set(`namespace ${namespace}`, held);
        for (const vector of vectors) held.set(vector.id, vector);
        return { upsertedCount: vectors.length };
      }),
    },
    'POST /query': {
      sample: {
        ...SAMPLE,
        body: {
          ...{ namespace: SAMPLE_NAMESPACE, topK: 3, vector: SAMPLE_VALUES, includeMetadata: true },
          filter: SAMPLE_FILTER,
        },
        freeForm: ['filter'],
      },
      answer: answering((request) => {
        const body = request.body as { namespace?: string; topK: number; vector: number[]; filter?: unknown };
        checkValues(body.vector, request);
        const withMetadata = (request.body as { includeMetadata?: boolean }).includeMetadata === true;
        const matches = selected(findNamespace(request, body.namespace), body.filter, request)
          .map(({ id, values, metadata }) => ({
            ...{ id, score: computeScore(body.vector, values, request.settings.metric), values: [] },
            ...(withMetadata && { metadata }),
          }))
          .sort((a, b) => b.score - a.score)
          .slice(0, body.topK);
        return { matches, namespace: body.namespace ?? '', usage: { readUnits: 1 } };
      }),
    },
    'POST /vectors/delete': {
      sample: {
        ...SAMPLE,
        body: { namespace: SAMPLE_NAMESPACE, filter: SAMPLE_FILTER },
        freeForm: ['filter'],
      },
      answer: answering((request) => {
        const { namespace, filter } = request.body as { namespace?: string; filter: unknown };
        if (!isObject(filter)) throw new Refused(400, 'ids, deleteAll or filter is needed');
        const held = mustHave(request, namespace);
        for (const { id } of selected(held, filter, request)) held.delete(id);
        return {};
      }),
    },
    'POST /vectors/update': {
      sample: {
        ...SAMPLE,
        body: { namespace: SAMPLE_NAMESPACE, filter: SAMPLE_FILTER, setMetadata: { a: 'y' } },
        freeForm: ['filter', 'setMetadata'],
      },
      answer: answering((request) => {
        const { namespace, filter, setMetadata } = request.body as {
          namespace?: string;
          filter: unknown;
          setMetadata: Metadata;
        };
        const records = selected(mustHave(request, namespace), filter, request);
        for (const { metadata } of records) checkMetadata({ ...metadata, ...setMetadata });
        for (const { metadata } of records) Object.assign(metadata, setMetadata);
        return { matchedRecords: records.length };
      }),
    },
    'GET /vectors/fetch': {
      sample: { ...SAMPLE, query: { ids: 'a', namespace: SAMPLE_NAMESPACE } },
      answer: answering((request) => {
        const held = findNamespace(request, request.query.namespace);
        const ids = request.url.searchParams.getAll('ids');
        const vectors = ids.flatMap((id) => (held?.has(id) ? [[id, held.get(id)!]] : []));
        const namespace = request.query.namespace ?? '';
        return { vectors: Object.fromEntries(vectors), namespace, usage: { readUnits: 1 } };
      }),
    },
  },
};
