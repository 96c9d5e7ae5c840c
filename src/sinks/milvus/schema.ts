import type { Collection } from './wire.ts';

/** Maximum length of a text field in bytes of UTF-8, set by Milvus. */
export const LONGEST_TEXT = 65_535;
export const VECTOR = 'vector';

/** Field of a text, whose words Milvus ranks. */
export const WORDS = 'words';
/** Field of the sparse vectors, which Milvus computes from the words. */
export const WORDS_VECTOR = 'words_vector';
/** Fields of a whole chunk as JSON. Their texts are joined, because one field cannot hold a long chunk. */
export const RECORD_FIELDS = ['record', ...Array.from({ length: 7 }, (_, at) => `record_${at + 2}`)];

interface CollectionField {
  fieldName: string;
  dataType: string;
  isPrimary?: boolean;
  elementTypeParams?: Record<string, unknown>;
}
interface CollectionBody {
  schema: {
    autoID: boolean;
    enableDynamicField: boolean;
    fields: CollectionField[];
    functions?: object[];
  };
  indexParams: { metricType: string; fieldName: string; indexName: string; params: object }[];
  params: object;
}
/** Builds the request that creates a collection for vectors of a dimension. */
export type Layout = (dimension: number) => CollectionBody;

const varCharField = (fieldName: string, max_length: number): CollectionField => ({
  ...{ fieldName, dataType: 'VarChar' },
  elementTypeParams: { max_length },
});
const typedField = (dataType: string, fieldName: string): CollectionField => ({ fieldName, dataType });
const buildIndex = (metricType: string, fieldName: string) => ({
  ...{ metricType, fieldName, indexName: fieldName },
  params: { index_type: 'AUTOINDEX' },
});

const listNameFields = (): CollectionField[] => [
  { ...varCharField('id', 64), isPrimary: true },
  varCharField('sluice_index', 64),
  varCharField('document_id', 4_096),
  typedField('Int64', 'version'),
  typedField('Int64', 'position'),
  varCharField('node_id', 4_096),
];
const vectorField = (dimension: number): CollectionField => ({
  ...typedField('FloatVector', VECTOR),
  elementTypeParams: { dim: dimension },
});

/** Layout of a collection that holds the vectors of an index. */
export const POINTS: Layout = (dimension) => ({
  schema: {
    autoID: false,
    enableDynamicField: false,
    fields: [
      ...listNameFields(),
      varCharField('title', LONGEST_TEXT),
      varCharField('text', LONGEST_TEXT),
      typedField('JSON', 'metadata'),
      typedField('JSON', 'pages'),
      typedField('Bool', 'sluice_partial'),
      vectorField(dimension),
    ],
  },
  indexParams: [buildIndex('COSINE', VECTOR)],
  params: { consistencyLevel: 'Strong' },
});

/** Layout of a collection that carries the whole search. Milvus computes document frequencies from the words. */
export const CHUNKS: Layout = (dimension) => ({
  schema: {
    autoID: false,
    enableDynamicField: false,
    fields: [
      ...listNameFields(),
      typedField('JSON', 'metadata'),
      typedField('Bool', 'sluice_partial'),
      ...RECORD_FIELDS.map((name) => varCharField(name, LONGEST_TEXT)),
      {
        ...typedField('VarChar', WORDS),
        elementTypeParams: {
          max_length: LONGEST_TEXT,
          enable_analyzer: true,
          analyzer_params: { tokenizer: 'whitespace' },
        },
      },
      typedField('SparseFloatVector', WORDS_VECTOR),
      vectorField(dimension),
    ],
    functions: [
      { name: 'bm25', type: 'BM25', inputFieldNames: [WORDS], outputFieldNames: [WORDS_VECTOR], params: {} },
    ],
  },
  indexParams: [buildIndex('COSINE', VECTOR), buildIndex('BM25', WORDS_VECTOR)],
  params: { consistencyLevel: 'Strong' },
});

/**
 * Describes why a collection cannot hold points. Without a dimension, vectors of any size are accepted.
 * Returns `undefined` if the collection fits.
 */
export function describeMismatch(
  name: string,
  existing: Collection,
  layout: Layout,
  dimension?: number,
): string | undefined {
  const named = `The collection ${name} (collection_name)`;
  const advice = 'Set another collection_name, and let Sluice create the collection.';
  for (const { fieldName, dataType } of layout(1).schema.fields) {
    const field = existing.fields.find((each) => each.name === fieldName);
    if (field?.type !== dataType) {
      const mode = layout === CHUNKS ? 'with' : 'without';
      return `${named} has no field ${fieldName} of type ${dataType}, which collections ${mode} native_search have. ${advice}`;
    }
  }
  if (existing.fields.find((each) => each.primaryKey)?.name !== 'id') {
    return `${named} does not have id as its primary key. ${advice}`;
  }
  for (const { fieldName, metricType } of layout(1).indexParams) {
    const metric = existing.indexes?.find((each) => each.fieldName === fieldName)?.metricType ?? metricType;
    if (metric !== metricType)
      return `${named} compares the field ${fieldName} by ${metric} instead of ${metricType}. ${advice}`;
  }
  const held = getDimension(existing);
  if (dimension !== undefined && held !== undefined && held !== dimension) {
    return `${named} holds vectors of ${held} dimensions, but the embedding model returns ${dimension}. Change collection_name or embedding_config.`;
  }
  return undefined;
}

export function getDimension({ fields }: Collection): number | undefined {
  const params = fields.find(({ name }) => name === VECTOR)?.params;
  const dimensionText = params?.find(({ key }) => key === 'dim')?.value;
  return dimensionText === undefined ? undefined : Number(dimensionText);
}
