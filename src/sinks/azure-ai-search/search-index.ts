import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { AzureSearchClient } from './client.ts';
import type { FieldType, FilterableKey } from './filterable.ts';
import { type AzureSearchSettings, PRODUCT } from './settings.ts';
import { type FieldOfIndex, type SearchIndex, searchIndex } from './wire.ts';

/** Built-in analyser, which splits a text at spaces and changes nothing else. */
const ANALYZER = 'whitespace';
const SIMILARITY = '#Microsoft.Azure.Search.BM25Similarity';
const PROFILE = 'sluice-cosine';
const ALGORITHM = 'sluice-hnsw';

const EDM: Record<FieldType, string> = {
  String: 'Edm.String',
  Boolean: 'Edm.Boolean',
  Int32: 'Edm.Int32',
  Int64: 'Edm.Int64',
  Double: 'Edm.Double',
  Collection: 'Collection(Edm.String)',
};

interface Uses {
  key?: boolean;
  filterable?: boolean;
  sortable?: boolean;
  searchable?: boolean;
}

/**
 * Creates the definition of a field in the Azure index. Unused features are switched off, because Azure
 * enables all by default and rejects long texts in filterable fields.
 */
const createField = (name: string, type: string, uses: Uses = {}) => ({
  ...{ name, type, key: false, searchable: false, filterable: false, sortable: false, facetable: false },
  ...uses,
  retrievable: true,
});

/** Fields and vectors that an Azure index must be able to hold. */
export interface IndexLayout {
  keys: FilterableKey[];
  /** Dimension of the vectors. If it is undefined, any dimension is accepted. */
  dimension?: number | undefined;
  /** Whether the index carries the whole search. It then has further fields. */
  native?: boolean;
}

function listFields({ dimension = 0, keys, native = false }: IndexLayout): FieldOfIndex[] {
  const filterable = { filterable: true };
  const [text, list] = [EDM.String, EDM.Collection];
  return [
    createField('id', text, { key: true, filterable: true, sortable: true }),
    createField('sluice_index', text, filterable),
    createField('document_id', text, filterable),
    createField('version', EDM.Int64, filterable),
    createField('position', EDM.Int32),
    createField('node_id', text),
    createField('title', text, { searchable: true }),
    createField('text', text, { searchable: true }),
    createField('metadata', text),
    createField('pages', text),
    createField('unfilterable', list, filterable),
    {
      ...createField('vector', 'Collection(Edm.Single)', { searchable: true }),
      ...{ dimensions: dimension, vectorSearchProfile: PROFILE },
    },
    ...keys.map(({ field, type }) => createField(field, EDM[type], filterable)),
    ...(native ? listNativeFields() : []),
  ];
}

/** Returns the fields of whole chunks. The other mode does not use them, so that both modes can share an index. */
function listNativeFields(): FieldOfIndex[] {
  return [
    {
      ...createField('sluice_words', EDM.String, { searchable: true }),
      analyzer: ANALYZER,
      retrievable: false,
    },
    createField('sluice_record', EDM.String),
    createField('sluice_node', EDM.String, { filterable: true }),
    createField('sluice_position', EDM.Int32, { filterable: true, sortable: true }),
  ];
}

/** Rejects a dimension that differs from the configured one. */
export function rejectOtherDimension(
  { embedding_dimension: given }: AzureSearchSettings,
  dimension: number,
): void {
  if (typeof given !== 'number' || given === dimension) return;
  const message = `${PRODUCT}: embedding_dimension is ${given}, but the embedding model returns ${dimension} dimensions. Change embedding_dimension or embedding_config.`;
  throw new SinkError(message, { retryable: false });
}

export const findIndex = (client: AzureSearchClient): Promise<SearchIndex | undefined> =>
  ignoreNotFound(client.ask({ method: 'GET', path: client.indexPath }, searchIndex));

const USES = ['key', 'filterable', 'sortable', 'searchable'] as const;

/**
 * Describes why an Azure index cannot hold the documents. Missing fields are no reason, because they can be
 * added. Returns `undefined` if the index fits.
 */
export function describeMismatch(name: string, index: SearchIndex, layout: IndexLayout): string | undefined {
  const { dimension, native } = layout;
  const named = `The index ${name} (index_name)`;
  const advice = 'Set another index_name';
  for (const wanted of listFields(layout)) {
    const existing = index.fields.find((field) => field.name === wanted.name);
    if (!existing) continue;
    if (existing.type !== wanted.type) {
      return `${named} has a field ${existing.name} of type ${existing.type} instead of ${wanted.type}. ${advice}.`;
    }
    const lacking = USES.find((use) => wanted[use] && !existing[use]);
    if (lacking) return `${named} has a field ${existing.name} that is not ${lacking}. ${advice}.`;
    if (wanted.analyzer && existing.analyzer !== wanted.analyzer) {
      return `${named} has a field ${existing.name} with the analyser ${existing.analyzer} instead of ${wanted.analyzer}. ${advice}.`;
    }
  }
  const similarity = index.similarity?.['@odata.type'] ?? SIMILARITY;
  if (native && similarity !== SIMILARITY) {
    return `${named} ranks words by ${similarity.split('.').at(-1)}, but native_search needs BM25Similarity. ${advice}.`;
  }
  const vector = index.fields.find((field) => field.name === 'vector');
  if (dimension !== undefined && vector && vector.dimensions !== dimension) {
    return `${named} holds vectors of ${vector.dimensions} dimensions, but the embedding model returns ${dimension}. Change index_name or embedding_config.`;
  }
  const metric = vector && getMetric(index, vector);
  if (metric && metric !== 'cosine')
    return `${named} compares vectors by ${metric} instead of cosine. ${advice}.`;
  if (!index.fields.some(({ name: field, key }) => key && field === 'id')) {
    return `${named} does not have id as its key field. ${advice}.`;
  }
  return vector ? undefined : `${named} has no field named vector. ${advice}.`;
}

/**
 * Returns the similarity metric of a vector field, or `undefined` if the index does not state one. Azure then
 * uses cosine.
 */
function getMetric({ vectorSearch }: SearchIndex, vector: FieldOfIndex): string | undefined {
  const profile = vectorSearch?.profiles?.find(({ name }) => name === vector.vectorSearchProfile);
  const algorithm = vectorSearch?.algorithms?.find(({ name }) => name === profile?.algorithm);
  return algorithm?.hnswParameters?.metric ?? algorithm?.exhaustiveKnnParameters?.metric ?? undefined;
}

/**
 * Creates the Azure index, or adds the fields that it lacks. Rejects if an existing index cannot hold the
 * vectors.
 */
export async function ensureIndex(
  client: AzureSearchClient,
  name: string,
  layout: IndexLayout,
): Promise<void> {
  let existing = await findIndex(client);
  if (!existing) {
    await createIndex(client, name, layout);
    existing = await findIndex(client);
  }
  const problem = existing
    ? describeMismatch(name, existing, layout)
    : `The index ${name} was deleted while it was being created.`;
  if (problem) throw new SinkError(`${PRODUCT}: ${problem}`, { retryable: !existing });
  const missing = listFields(layout).filter(
    ({ name: field }) => !existing!.fields.some((each) => each.name === field),
  );
  if (missing.length > 0) await addFields(client, existing!, missing);
}

async function createIndex(client: AzureSearchClient, name: string, layout: IndexLayout): Promise<void> {
  const vectorSearch = {
    algorithms: [{ name: ALGORITHM, kind: 'hnsw', hnswParameters: { metric: 'cosine' } }],
    profiles: [{ name: PROFILE, algorithm: ALGORITHM }],
  };
  const similarity = layout.native ? { similarity: { '@odata.type': SIMILARITY } } : {};
  const body = { name, fields: listFields(layout), vectorSearch, ...similarity };
  try {
    await client.ask({ method: 'POST', path: '/indexes', body }, searchIndex);
  } catch (error) {
    // Another worker may have created the Azure index at the same moment. If the index exists now, the error
    // is ignored.
    const isThere = error instanceof Upstream && (error.status === 409 || error.status === 400);
    if (!isThere || !(await findIndex(client))) throw error;
  }
}

/**
 * Adds fields to an Azure index and keeps its documents. If another worker changes the index at the same
 * moment, the error is retryable.
 */
async function addFields(
  client: AzureSearchClient,
  index: SearchIndex,
  fields: FieldOfIndex[],
): Promise<void> {
  const { '@odata.context': _, '@odata.etag': etag, ...rest } = index;
  const headers: Record<string, string> = typeof etag === 'string' ? { 'if-match': etag } : {};
  const body = { ...rest, fields: [...index.fields, ...fields] };
  try {
    await client.ask({ method: 'PUT', path: client.indexPath, body, headers }, searchIndex);
  } catch (error) {
    if (!(error instanceof Upstream && error.status === 412)) throw error;
    throw new SinkError(error.message, { retryable: true, status: 412, cause: error });
  }
}
