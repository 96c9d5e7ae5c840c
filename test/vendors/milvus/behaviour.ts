import { type Answer, type Behaviour, bearer, type VendorRequest } from '../behaviour.ts';
import { compileExpression, type Entity, WrongExpression } from './expression.ts';

// In-memory collections with linear search. Expressions, field types, lengths and limits are checked. Errors
// have status 200, as in Milvus.

interface Field {
  fieldName: string;
  dataType: string;
  isPrimary?: boolean;
  elementTypeParams?: { max_length?: number; dim?: number };
}
interface Collection {
  fields: Field[];
  metric: string;
  /** Number of load state requests until loading is done. */
  loading: number;
  entities: Map<string, Entity>;
}

class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const CODES = { absent: 100, notLoaded: 101, parameter: 1100, data: 1804, primary: 65_535 };
const MOST = { found: 16_384, json: 65_536 };
const BASE = '/v2/vectordb';
const SAMPLE_NAME = 'sample';
const SAMPLE_FIELDS: Field[] = [
  { fieldName: 'id', dataType: 'VarChar', isPrimary: true, elementTypeParams: { max_length: 64 } },
  { fieldName: 'vector', dataType: 'FloatVector', elementTypeParams: { dim: 2 } },
];
const bodyIs = <T>({ body }: VendorRequest) => body as T & { collectionName: string; dbName?: string };
const buildCollectionKey = (request: VendorRequest) => {
  const { dbName = 'default', collectionName } = bodyIs(request);
  return `${dbName}/${collectionName}`;
};

function findRequestedCollection(request: VendorRequest): Collection {
  const found = request.memory.get(buildCollectionKey(request)) as Collection | undefined;
  if (found) return found;
  const { collectionName } = bodyIs(request);
  if (collectionName === SAMPLE_NAME) {
    return { fields: SAMPLE_FIELDS, metric: 'COSINE', loading: 0, entities: new Map() };
  }
  throw new Refused(CODES.absent, `can't find collection[database=default][collection=${collectionName}]`);
}

function loaded(request: VendorRequest): Collection {
  const collection = findRequestedCollection(request);
  if (collection.loading > 0) throw new Refused(CODES.notLoaded, 'collection not loaded');
  return collection;
}

function selected({ fields, entities }: Collection, filter: string): Entity[] {
  const types = Object.fromEntries(fields.map(({ fieldName, dataType }) => [fieldName, dataType]));
  try {
    const test = compileExpression(filter, types);
    return [...entities.values()].filter(test);
  } catch (error) {
    throw error instanceof WrongExpression ? new Refused(CODES.parameter, error.message) : error;
  }
}

const FITS: Record<string, (value: unknown, field: Field) => boolean> = {
  VarChar: (value, { elementTypeParams }) =>
    typeof value === 'string' && Buffer.byteLength(value) <= elementTypeParams!.max_length!,
  Int64: (value) => Number.isSafeInteger(value),
  Bool: (value) => typeof value === 'boolean',
  JSON: (value) => Buffer.byteLength(JSON.stringify(value)) <= MOST.json,
  FloatVector: (value, { elementTypeParams }) =>
    Array.isArray(value) && value.length === elementTypeParams!.dim && value.every(Number.isFinite),
};

function checkEntity(fields: Field[], entity: Entity): void {
  const strange = Object.keys(entity).filter((name) => !fields.some(({ fieldName }) => fieldName === name));
  if (strange.length > 0)
    throw new Refused(CODES.data, `has pass more field without dynamic schema: ${strange}`);
  for (const field of fields) {
    if (FITS[field.dataType]!(entity[field.fieldName], field)) continue;
    throw new Refused(
      CODES.data,
      `fail to deal the data: ${field.fieldName} is no ${field.dataType} of its length`,
    );
  }
}

/** Returns an entity in the API format, with 64-bit integers and JSON as texts. */
const shown = ({ fields }: Collection, entity: Entity, names: string[]) =>
  Object.fromEntries(
    fields
      .filter(({ fieldName }) => names.includes(fieldName) || names.includes('*'))
      .map(({ fieldName, dataType }) => {
        const value = entity[fieldName];
        if (dataType === 'Int64') return [fieldName, String(value)];
        return [fieldName, dataType === 'JSON' ? JSON.stringify(value) : value];
      }),
  );

function cosine(one: number[], other: number[]): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}

const answering =
  (answer: (request: VendorRequest) => unknown) =>
  (request: VendorRequest): Answer => {
    try {
      return { body: { code: 0, data: answer(request) } };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { body: { code: error.code, message: error.message } };
    }
  };

const sampleBody = (body: object = {}) => ({ body: { collectionName: SAMPLE_NAME, ...body } });

export const milvus: Behaviour = {
  name: 'milvus',
  error: (code, message) => ({ code, message }),
  ...bearer,
  settings: { key: 'key-of-the-vendor', metric: undefined, loading: 2 },
  operations: {
    [`POST ${BASE}/collections/create`]: {
      sample: {
        body: {
          collectionName: 'another',
          schema: { autoID: false, enableDynamicField: false, fields: SAMPLE_FIELDS },
          indexParams: [
            {
              metricType: 'COSINE',
              fieldName: 'vector',
              indexName: 'v',
              params: { index_type: 'AUTOINDEX' },
            },
          ],
          params: { consistencyLevel: 'Strong' },
        },
      },
      answer: answering((request) => {
        const { schema, indexParams, collectionName } = bodyIs<{
          schema: { fields: Field[] };
          indexParams: { metricType: string }[];
        }>(request);
        if (!/^[A-Za-z_]\w*$/.test(collectionName))
          throw new Refused(CODES.parameter, 'Invalid collection name');
        if (request.memory.has(buildCollectionKey(request))) {
          throw new Refused(CODES.primary, `duplicate collection: ${collectionName}`);
        }
        const metric = (request.settings.metric as string | undefined) ?? indexParams[0]!.metricType;
        const loading = request.settings.loading as number;
        request.memory.set(buildCollectionKey(request), {
          fields: schema.fields,
          metric,
          loading,
          entities: new Map(),
        });
        return {};
      }),
    },
    [`POST ${BASE}/collections/describe`]: {
      sample: sampleBody(),
      answer: answering((request) => {
        const { fields, metric } = findRequestedCollection(request);
        return {
          ...{ aliases: [], autoID: false, collectionID: 7, collectionName: bodyIs(request).collectionName },
          ...{
            consistencyLevel: 'Strong',
            description: '',
            enableDynamicField: false,
            load: 'LoadStateLoaded',
          },
          fields: fields.map(({ fieldName, dataType, isPrimary = false, elementTypeParams = {} }, i) => ({
            ...{ autoId: false, description: '', id: 100 + i, name: fieldName, type: dataType },
            params: Object.entries(elementTypeParams).map(([key, value]) => ({ key, value: String(value) })),
            ...{ partitionKey: false, primaryKey: isPrimary },
          })),
          indexes: [{ fieldName: 'vector', indexName: 'vector', metricType: metric }],
          ...{ partitionNum: 1, properties: [], shardsNum: 1 },
        };
      }),
    },
    [`POST ${BASE}/collections/get_load_state`]: {
      sample: sampleBody(),
      answer: answering((request) => {
        const collection = findRequestedCollection(request);
        if (collection.loading > 0) collection.loading -= 1;
        const isLoaded = collection.loading === 0;
        return {
          loadState: isLoaded ? 'LoadStateLoaded' : 'LoadStateLoading',
          loadProgress: isLoaded ? 100 : 50,
        };
      }),
    },
    [`POST ${BASE}/collections/load`]: {
      sample: sampleBody(),
      answer: answering((request) => {
        findRequestedCollection(request);
        return {};
      }),
    },
    [`POST ${BASE}/entities/upsert`]: {
      sample: { ...sampleBody({ data: [{ id: 'a', vector: [1, 0] }] }), freeForm: ['data.0'] },
      answer: answering((request) => {
        const { fields, entities } = findRequestedCollection(request);
        const { data } = bodyIs<{ data: Entity[] }>(request);
        for (const entity of data) checkEntity(fields, entity);
        for (const entity of data) entities.set(entity.id as string, entity);
        return { upsertCount: data.length, upsertIds: data.map(({ id }) => id) };
      }),
    },
    [`POST ${BASE}/entities/delete`]: {
      sample: sampleBody({ filter: 'id == "a"' }),
      answer: answering((request) => {
        const collection = loaded(request);
        const { filter } = bodyIs<{ filter: string }>(request);
        for (const { id } of selected(collection, filter)) collection.entities.delete(id as string);
        return {};
      }),
    },
    [`POST ${BASE}/entities/query`]: {
      sample: sampleBody({ filter: 'id == "a"', outputFields: ['*'], limit: 3 }),
      answer: answering((request) => {
        const collection = loaded(request);
        const {
          filter,
          outputFields,
          limit = 100,
        } = bodyIs<{
          filter: string;
          outputFields: string[];
          limit?: number;
        }>(request);
        const entities = selected(collection, filter).slice(0, limit);
        return entities.map((entity) => shown(collection, entity, outputFields));
      }),
    },
    [`POST ${BASE}/entities/search`]: {
      sample: sampleBody({
        ...{ data: [[1, 0]], annsField: 'vector', limit: 3, filter: 'id == "a"', outputFields: ['id'] },
        ...{ searchParams: { metricType: 'COSINE', params: {} }, consistencyLevel: 'Strong' },
      }),
      answer: answering((request) => {
        const collection = loaded(request);
        const { data, limit, filter, outputFields } = bodyIs<{
          data: number[][];
          limit: number;
          filter: string;
          outputFields: string[];
        }>(request);
        if (limit < 1 || limit > MOST.found) throw new Refused(CODES.primary, `topk [${limit}] is invalid`);
        const { dim } = collection.fields.find(({ fieldName }) => fieldName === 'vector')!.elementTypeParams!;
        if (data[0]!.length !== dim) {
          const said = `expected=FloatVector, actual=${JSON.stringify(data)}: dimension: ${dim}, but length of []float: ${data[0]!.length}`;
          throw new Refused(CODES.parameter, said);
        }
        return selected(collection, filter)
          .map((entity) => ({
            ...shown(collection, entity, outputFields),
            id: entity.id,
            distance: cosine(data[0]!, entity.vector as number[]),
          }))
          .sort((a, b) => b.distance - a.distance)
          .slice(0, limit);
      }),
    },
  },
};
