import { Binary, type Document } from 'mongodb';

/** Command that the server rejects with an error code. */
export class Refused extends Error {
  readonly code: number;
  readonly codeName: string;
  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}

export interface SearchIndex {
  name: string;
  type: 'vectorSearch' | 'search';
  definition: Document;
  /** Number of listings that still report the index as being built. */
  building: number;
}

export interface Collection {
  documents: Map<string, Document>;
  searchIndexes: Map<string, SearchIndex>;
}

/**
 * Compiles a filter with `$and`, `$or`, equality, `$in`, `$lte` and `$gte`. Other operators are rejected. A condition on
 * an array applies to its members.
 */
export function matching(filter: Document): (document: Document) => boolean {
  const tests = Object.entries(filter).map(([name, condition]): ((document: Document) => boolean) => {
    if (name === '$and' || name === '$or') {
      if (!Array.isArray(condition) || condition.length === 0)
        throw new Refused(2, 'BadValue', `${name} must be a nonempty array`);
      const parts = condition.map(matching);
      return (document) =>
        name === '$and' ? parts.every((part) => part(document)) : parts.some((part) => part(document));
    }
    if (name.startsWith('$')) throw new Refused(2, 'BadValue', `unknown top level operator: ${name}`);
    const test = compileCondition(condition);
    return (document) => [document[name]].flat().some(test);
  });
  return (document) => tests.every((test) => test(document));
}

/** Returns the names of all fields of a filter. */
function listFields(filter: Document): string[] {
  return Object.entries(filter).flatMap(([name, condition]) =>
    name.startsWith('$') ? (condition as Document[]).flatMap(listFields) : [name],
  );
}

function compileCondition(condition: unknown): (value: unknown) => boolean {
  if (typeof condition !== 'object' || condition === null) return (value) => value === condition;
  const [[operator, operand] = ['', undefined], ...others] = Object.entries(condition);
  if (operator === '$in' && others.length === 0 && Array.isArray(operand)) {
    const values = new Set(operand);
    return (value) => values.has(value);
  }
  if (operator === '$lte' && others.length === 0 && typeof operand === 'number') {
    return (value) => typeof value === 'number' && value <= operand;
  }
  if (operator === '$gte' && others.length === 0 && typeof operand === 'number') {
    return (value) => typeof value === 'number' && value >= operand;
  }
  throw new Refused(2, 'BadValue', `unknown operator: ${operator}`);
}

interface VectorSearch {
  index: string;
  path: string;
  queryVector: unknown;
  numCandidates: number;
  limit: number;
  filter?: Document | undefined;
}

/** Runs a vector search as documented: no results without an index, and scores of (1 + cosine) / 2. */
export function vectorSearch(collection: Collection | undefined, stage: VectorSearch): Document[] {
  const index = collection?.searchIndexes.get(stage.index);
  if (!collection || !index) return [];
  if (index.type !== 'vectorSearch') throw refusedSearch(`${stage.index} is not a vector index`);
  if (index.building > 0)
    throw refusedSearch(`cannot query vector index ${stage.index} while in state INITIAL_SYNC`);
  const fields = index.definition.fields as { type: string; path: string; numDimensions?: number }[];
  const field = fields.find(({ type, path }) => type === 'vector' && path === stage.path);
  if (!field) throw refusedSearch(`${stage.path} is not indexed as vector`);
  for (const name of listFields(stage.filter ?? {})) {
    if (!fields.some(({ type, path }) => type === 'filter' && path === name))
      throw refusedSearch(`Path '${name}' needs to be indexed as filter`);
  }
  const query = decodeVector(stage.queryVector);
  if (query?.every((x) => x === 0))
    throw refusedSearch('Cosine similarity cannot be calculated against a zero vector.');
  if (!query || query.length !== field.numDimensions) {
    throw refusedSearch(
      `vector field is indexed with ${field.numDimensions} dimensions but queried with ${query?.length}`,
    );
  }
  const passes = matching(stage.filter ?? {});
  return [...collection.documents.values()]
    .flatMap((document) => {
      const vector = decodeVector(document[stage.path]);
      if (vector?.length !== query.length || !passes(document)) return [];
      return [{ ...document, $score: (1 + cosine(query, vector)) / 2 }];
    })
    .sort((a, b) => b.$score - a.$score)
    .slice(0, stage.limit);
}

export const refusedSearch = (message: string) =>
  new Refused(8, 'UnknownError', `PlanExecutor error during aggregation :: caused by :: ${message}`);

function decodeVector(value: unknown): Float32Array | undefined {
  return value instanceof Binary && value.sub_type === 9 ? value.toFloat32Array() : undefined;
}

function cosine(one: Float32Array, other: Float32Array): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}
