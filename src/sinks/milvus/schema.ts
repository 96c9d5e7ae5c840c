import type { Collection } from './wire.ts';

/** Maximum length of a text field in bytes of UTF-8, set by Milvus. */
export const LONGEST_TEXT = 65_535;
export const VECTOR = 'vector';

const varCharField = (fieldName: string, max_length: number) => ({
  ...{ fieldName, dataType: 'VarChar' },
  elementTypeParams: { max_length },
});
const typedField = (dataType: string, fieldName: string) => ({ fieldName, dataType });

export const buildCollectionBody = (dimension: number) => ({
  schema: {
    autoID: false,
    enableDynamicField: false,
    fields: [
      { ...varCharField('id', 64), isPrimary: true },
      varCharField('sluice_index', 64),
      varCharField('document_id', 4_096),
      typedField('Int64', 'version'),
      typedField('Int64', 'position'),
      varCharField('node_id', 4_096),
      varCharField('title', LONGEST_TEXT),
      varCharField('text', LONGEST_TEXT),
      typedField('JSON', 'metadata'),
      typedField('JSON', 'pages'),
      typedField('Bool', 'sluice_partial'),
      { ...typedField('FloatVector', VECTOR), elementTypeParams: { dim: dimension } },
    ],
  },
  indexParams: [
    { metricType: 'COSINE', fieldName: VECTOR, indexName: VECTOR, params: { index_type: 'AUTOINDEX' } },
  ],
  params: { consistencyLevel: 'Strong' },
});

/**
 * Describes why a collection cannot hold points. Without a dimension, vectors of any size are accepted.
 * Returns `undefined` if the collection fits.
 */
export function describeMismatch(name: string, existing: Collection, dimension?: number): string | undefined {
  const named = `The collection ${name} (collection_name)`;
  const advice = 'Set another collection_name, and let Sluice create the collection.';
  for (const { fieldName, dataType } of buildCollectionBody(1).schema.fields) {
    const field = existing.fields.find((each) => each.name === fieldName);
    if (field?.type !== dataType) return `${named} has no field ${fieldName} of type ${dataType}. ${advice}`;
  }
  if (existing.fields.find((each) => each.primaryKey)?.name !== 'id') {
    return `${named} does not have id as its primary key. ${advice}`;
  }
  const metric = existing.indexes?.find((each) => each.fieldName === VECTOR)?.metricType ?? 'COSINE';
  if (metric !== 'COSINE') return `${named} compares vectors by ${metric} instead of COSINE. ${advice}`;
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
