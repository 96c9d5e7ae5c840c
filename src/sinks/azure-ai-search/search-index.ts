import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { AzureSearchClient } from './client.ts';
import type { FieldType, FilterableKey } from './filterable.ts';
import { KIND } from './settings.ts';
import { type FieldOfIndex, type SearchIndex, searchIndex } from './wire.ts';

const PROFILE = 'sluice-cosine';
const ALGORITHM = 'sluice-hnsw';

/** What the vendor calls the types of fields. */
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

/** What is not asked for is switched off: the vendor switches all on, and refuses long texts that can be filtered. */
const fieldOf = (name: string, type: string, uses: Uses = {}) => ({
  ...{ name, type, key: false, searchable: false, filterable: false, sortable: false, facetable: false },
  ...uses,
  retrievable: true,
});

function fieldsFor(dimension: number, keys: FilterableKey[]): FieldOfIndex[] {
  const filterable = { filterable: true };
  const [text, list] = [EDM.String, EDM.Collection];
  return [
    fieldOf('id', text, { key: true, filterable: true, sortable: true }),
    fieldOf('sluice_index', text, filterable),
    fieldOf('document_id', text, filterable),
    fieldOf('version', EDM.Int64, filterable),
    fieldOf('position', EDM.Int32),
    fieldOf('node_id', text),
    fieldOf('title', text, { searchable: true }),
    fieldOf('text', text, { searchable: true }),
    fieldOf('metadata', text),
    fieldOf('pages', text),
    fieldOf('unfilterable', list, filterable),
    {
      ...fieldOf('vector', 'Collection(Edm.Single)', { searchable: true }),
      ...{ dimensions: dimension, vectorSearchProfile: PROFILE },
    },
    ...keys.map(({ field, type }) => fieldOf(field, EDM[type], filterable)),
  ];
}

export const findIndex = (client: AzureSearchClient): Promise<SearchIndex | undefined> =>
  unlessAbsent(client.ask({ method: 'GET', path: client.ofIndex }, searchIndex));

const USES = ['key', 'filterable', 'sortable', 'searchable'] as const;

/** What keeps documents with vectors of this dimension (any, where it is absent) out of an index. Fields may be missing. */
export function unfit(
  name: string,
  index: SearchIndex,
  keys: FilterableKey[],
  dimension?: number,
): string | undefined {
  const named = `The index ${name} (index_name)`;
  const another = 'another index_name is needed';
  for (const wanted of fieldsFor(dimension ?? 0, keys)) {
    const there = index.fields.find((field) => field.name === wanted.name);
    if (!there) continue;
    if (there.type !== wanted.type) {
      return `${named} has a field ${there.name} of the type ${there.type}, and ${wanted.type} is needed: ${another}.`;
    }
    const lacking = USES.find((use) => wanted[use] && !there[use]);
    if (lacking) return `${named} has a field ${there.name} that is not ${lacking}: ${another}.`;
  }
  const vector = index.fields.find((field) => field.name === 'vector');
  if (dimension !== undefined && vector && vector.dimensions !== dimension) {
    return `${named} holds vectors of ${vector.dimensions} dimensions, and the embedding model gives ${dimension}: another index_name or another embedding_config is needed.`;
  }
  const metric = vector && metricOf(index, vector);
  if (metric && metric !== 'cosine')
    return `${named} compares vectors by ${metric}, and not by cosine: ${another}.`;
  if (!index.fields.some(({ name: field, key }) => key && field === 'id')) {
    return `${named} has another key than id: ${another}.`;
  }
  return vector ? undefined : `${named} has no field vector: ${another}.`;
}

/** The vendor's own is cosine. */
function metricOf({ vectorSearch }: SearchIndex, vector: FieldOfIndex): string | undefined {
  const profile = vectorSearch?.profiles?.find(({ name }) => name === vector.vectorSearchProfile);
  const algorithm = vectorSearch?.algorithms?.find(({ name }) => name === profile?.algorithm);
  return algorithm?.hnswParameters?.metric ?? algorithm?.exhaustiveKnnParameters?.metric ?? undefined;
}

/** Makes the index when it is absent, and fields that it lacks. Rejects when the one that is there cannot hold the vectors. */
export async function ensureIndex(
  client: AzureSearchClient,
  name: string,
  keys: FilterableKey[],
  dimension: number,
): Promise<void> {
  let there = await findIndex(client);
  if (!there) {
    await makeIndex(client, name, fieldsFor(dimension, keys));
    there = await findIndex(client);
  }
  const problem = there
    ? unfit(name, there, keys, dimension)
    : `The index ${name} was deleted as it was made.`;
  if (problem) throw new SinkError(`The data sink (${KIND}): ${problem}`, { retryable: !there });
  const missing = fieldsFor(dimension, keys).filter(
    ({ name: field }) => !there!.fields.some((each) => each.name === field),
  );
  if (missing.length > 0) await addFields(client, there!, missing);
}

async function makeIndex(client: AzureSearchClient, name: string, fields: FieldOfIndex[]): Promise<void> {
  const vectorSearch = {
    algorithms: [{ name: ALGORITHM, kind: 'hnsw', hnswParameters: { metric: 'cosine' } }],
    profiles: [{ name: PROFILE, algorithm: ALGORITHM }],
  };
  try {
    await client.ask({ method: 'POST', path: '/indexes', body: { name, fields, vectorSearch } }, searchIndex);
  } catch (error) {
    // Another consumer has made it at the same moment, which what comes next finds out.
    const isThere = error instanceof Upstream && (error.status === 409 || error.status === 400);
    if (!isThere || !(await findIndex(client))) throw error;
  }
}

/** What is in the index stays. Whoever adds others at the same moment is told to try again. */
async function addFields(
  client: AzureSearchClient,
  index: SearchIndex,
  fields: FieldOfIndex[],
): Promise<void> {
  const { '@odata.context': _, '@odata.etag': etag, ...rest } = index;
  const headers: Record<string, string> = typeof etag === 'string' ? { 'if-match': etag } : {};
  const body = { ...rest, fields: [...index.fields, ...fields] };
  try {
    await client.ask({ method: 'PUT', path: client.ofIndex, body, headers }, searchIndex);
  } catch (error) {
    if (!(error instanceof Upstream && error.status === 412)) throw error;
    throw new SinkError(error.message, { retryable: true, status: 412, cause: error });
  }
}
