import { z } from 'zod';
import { VALUES } from '#src/sinks/external/metadata-terms.ts';

/** Field with the vector of a chunk. */
export const VECTOR = 'embedding';
/** Field with the terms of a chunk, separated by spaces. Each term is repeated by its frequency. */
export const WORDS = 'words';
/** Field with the name of a record, by which searches look for chunks that were just written. */
export const ROW = 'row_id';
const WORD_ANALYSER = 'lucene.whitespace';

/** Names of the search indexes of a collection, and what they are for. */
export interface SearchIndexes {
  vector: string;
  /** Name of the full-text index. It is created only if a name is given. */
  text?: string | undefined;
  /** Whether the indexes carry the whole search, so that the full-text index contains the words of chunks. */
  areNative?: boolean;
}

const field = z.looseObject({ type: z.string(), path: z.string() });
const mapping = z.looseObject({ type: z.string(), analyzer: z.string().optional() });
const definition = z.looseObject({
  fields: z.array(field).catch([]).default([]),
  mappings: z
    .looseObject({ fields: z.record(z.string(), mapping.nullable().catch(null)) })
    .optional()
    .catch(undefined),
});
export const listedIndex = z.object({
  name: z.string(),
  type: z.string().optional().default('search'),
  status: z.string().optional().default('unknown'),
  queryable: z.boolean().optional().default(false),
  latestDefinition: definition.catch({ fields: [] }),
});
export type ListedIndex = z.output<typeof listedIndex>;

const ADVICE = 'Set another index or a new name.';

/**
 * Fields by which points are filtered. Searches filter with the search index, and deletions with an ordinary index. An
 * index that carries the whole search has those of an index of vectors too, so that both modes can share it.
 */
const listFilterPaths = ({ areNative = false }: Pick<SearchIndexes, 'areNative'>): string[] => [
  ...['sluice_index', 'document_id'],
  ...(areNative ? [ROW, VALUES] : []),
];

/** Returns the type of each field of the full-text index of an index that carries the whole search. */
function getWordFields() {
  // Positions of words are not needed.
  const words = { type: 'string', analyzer: WORD_ANALYSER, indexOptions: 'freqs', store: false };
  const token = { type: 'token' };
  return { [WORDS]: words, sluice_index: token, [ROW]: token, [VALUES]: token };
}

/** Builds the definition of one of the two search indexes. */
export function buildIndexDefinition(name: string, names: SearchIndexes, numDimensions: number) {
  if (name === names.vector) {
    const filters = listFilterPaths(names).map((path) => ({ type: 'filter', path }));
    const vectors = { type: 'vector', path: VECTOR, numDimensions, similarity: 'cosine' };
    return { name, type: 'vectorSearch', definition: { fields: [vectors, ...filters] } };
  }
  const fields = names.areNative
    ? getWordFields()
    : { text: { type: 'string' }, title: { type: 'string' }, sluice_index: { type: 'token' } };
  return { name, type: 'search', definition: { mappings: { dynamic: false, fields } } };
}

/**
 * Describes why searches could not find chunks with the existing search indexes. Without a dimension, vectors of any
 * size are accepted. Returns `undefined` if the indexes fit.
 */
export function describeMismatch(
  all: ListedIndex[],
  names: SearchIndexes,
  dimension?: number,
): string | undefined {
  const text = all.find(({ name }) => name === names.text);
  const vectors = all.find(({ name }) => name === names.vector);
  return (
    (text && describeTextMismatch(text, names)) ??
    (vectors && describeVectorMismatch(vectors, names, dimension))
  );
}

function describeTextMismatch({ name, type, status, latestDefinition }: ListedIndex, names: SearchIndexes) {
  const subject = `The index ${name} (fulltext_index_name)`;
  if (type !== 'search') return `${subject} has type ${type} instead of search. ${ADVICE}`;
  if (!names.areNative) return undefined;
  const fields = latestDefinition.mappings?.fields ?? {};
  for (const [path, wanted] of Object.entries(getWordFields())) {
    const found = fields[path];
    if (found?.type !== wanted.type)
      return `${subject} has no field ${path} of type ${wanted.type}. ${ADVICE}`;
  }
  const analyser = fields[WORDS]?.analyzer;
  if (analyser !== WORD_ANALYSER) {
    return `${subject} has the analyser ${analyser ?? 'lucene.standard'} instead of ${WORD_ANALYSER} for the field ${WORDS}. ${ADVICE}`;
  }
  return status === 'FAILED' ? `${subject} could not be built (status FAILED).` : undefined;
}

function describeVectorMismatch(
  { name, type, latestDefinition, status }: ListedIndex,
  names: SearchIndexes,
  dimension?: number,
) {
  const subject = `The index ${name} (vector_index_name)`;
  if (type !== 'vectorSearch') return `${subject} has type ${type} instead of vectorSearch. ${ADVICE}`;
  const { fields } = latestDefinition;
  const vector = fields.find((each) => each.type === 'vector' && each.path === VECTOR);
  if (!vector) return `${subject} has no vector field ${VECTOR}. ${ADVICE}`;
  if (vector.similarity !== 'cosine')
    return `${subject} compares vectors by ${vector.similarity} instead of cosine. ${ADVICE}`;
  const missing = listFilterPaths(names).find(
    (path) => !fields.some((each) => each.type === 'filter' && each.path === path),
  );
  if (missing) return `${subject} has no filter field ${missing}. ${ADVICE}`;
  if (dimension !== undefined && vector.numDimensions !== dimension) {
    return `${subject} holds vectors of ${vector.numDimensions} dimensions, but the embedding model returns ${dimension}. Change vector_index_name and collection_name, or embedding_config.`;
  }
  return status === 'FAILED' ? `${subject} could not be built (status FAILED).` : undefined;
}
