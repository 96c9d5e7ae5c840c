import { type Answer, type Behaviour, bearer, type VendorRequest } from '../behaviour.ts';
import { scoreTexts } from './bm25.ts';
import { compileExpression, type Entity, WrongExpression } from './expression.ts';
import {
  type Field,
  findEntityProblem,
  findInput,
  findSchemaProblem,
  type IndexParam,
  type Schema,
} from './schema.ts';

// In-memory collections with linear search. Expressions, field types, lengths and limits are checked. Errors
// have status 200, as in Milvus.

interface Collection extends Schema {
  indexes: IndexParam[];
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
const MOST_FOUND = 16_384;
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
    const indexes = [{ fieldName: 'vector', metricType: 'COSINE' }];
    return { fields: SAMPLE_FIELDS, indexes, loading: 0, entities: new Map() };
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

function checkEntity(schema: Schema, entity: Entity): void {
  const problem = findEntityProblem(schema, entity);
  if (problem) throw new Refused(CODES.data, problem);
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

interface SearchBody {
  data: (number[] | string)[];
  annsField: string;
  limit: number;
  filter: string;
  outputFields: string[];
}

/** Returns a function that compares entities with a query. It returns `undefined` for entities that are not found. */
function createScore(collection: Collection, annsField: string, query: number[] | string) {
  const field = collection.fields.find(({ fieldName }) => fieldName === annsField);
  if (!field) throw new Refused(CODES.parameter, `field ${annsField} not found`);
  if (field.dataType === 'SparseFloatVector') return createWordScore(collection, annsField, query);
  const { dim } = field.elementTypeParams!;
  if (typeof query === 'string' || query.length !== dim) {
    const said = `expected=FloatVector, actual=${JSON.stringify([query])}: dimension: ${dim}, but length of []float: ${query.length}`;
    throw new Refused(CODES.parameter, said);
  }
  return (entity: Entity): number | undefined => cosine(query, entity[annsField] as number[]);
}

/** Document frequencies count all entities of the collection, also those that the filter excludes. */
function createWordScore(collection: Collection, annsField: string, query: number[] | string) {
  if (typeof query !== 'string')
    throw new Refused(CODES.parameter, 'please provide varchar/text for BM25 Function based search');
  const { fieldName } = findInput(collection, annsField)!;
  const texts = [...collection.entities].map(([id, entity]): [string, string] => [
    id,
    entity[fieldName] as string,
  ]);
  const scores = scoreTexts(query, new Map(texts));
  return (entity: Entity): number | undefined => scores.get(entity.id as string);
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
        const { schema, indexParams, collectionName } = bodyIs<{ schema: Schema; indexParams: IndexParam[] }>(
          request,
        );
        if (!/^[A-Za-z_]\w*$/.test(collectionName))
          throw new Refused(CODES.parameter, 'Invalid collection name');
        if (request.memory.has(buildCollectionKey(request))) {
          throw new Refused(CODES.primary, `duplicate collection: ${collectionName}`);
        }
        const problem = findSchemaProblem(schema, indexParams);
        if (problem) throw new Refused(CODES.parameter, problem);
        const metric = request.settings.metric as string | undefined;
        const indexes = indexParams.map((index) =>
          metric !== undefined && index.fieldName === 'vector' ? { ...index, metricType: metric } : index,
        );
        const loading = request.settings.loading as number;
        const collection: Collection = { ...schema, indexes, loading, entities: new Map() };
        request.memory.set(buildCollectionKey(request), collection);
        return {};
      }),
    },
    [`POST ${BASE}/collections/describe`]: {
      sample: sampleBody(),
      answer: answering((request) => {
        const { fields, indexes } = findRequestedCollection(request);
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
            params: Object.entries(elementTypeParams).map(([key, value]) => ({
              key,
              value: typeof value === 'object' ? JSON.stringify(value) : String(value),
            })),
            ...{ partitionKey: false, primaryKey: isPrimary },
          })),
          indexes: indexes.map(({ fieldName, metricType }) => ({
            fieldName,
            indexName: fieldName,
            metricType,
          })),
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
        const { entities, ...schema } = findRequestedCollection(request);
        const { data } = bodyIs<{ data: Entity[] }>(request);
        for (const entity of data) checkEntity(schema, entity);
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
        const { data, limit, filter, outputFields, annsField } = bodyIs<SearchBody>(request);
        if (limit < 1 || limit > MOST_FOUND) throw new Refused(CODES.primary, `topk [${limit}] is invalid`);
        const score = createScore(collection, annsField, data[0]!);
        return selected(collection, filter)
          .flatMap((entity) => {
            const distance = score(entity);
            return distance === undefined ? [] : [{ entity, distance }];
          })
          .sort((a, b) => b.distance - a.distance)
          .slice(0, limit)
          .map(({ entity, distance }) => ({
            ...shown(collection, entity, outputFields),
            id: entity.id,
            distance,
          }));
      }),
    },
  },
};
