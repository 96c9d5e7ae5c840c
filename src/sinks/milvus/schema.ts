import type { Collection } from './wire.ts';

/** Of a text, in bytes of UTF-8: the most that the vendor has. */
export const LONGEST_TEXT = 65_535;
export const VECTOR = 'vector';

const text = (fieldName: string, max_length: number) => ({
  ...{ fieldName, dataType: 'VarChar' },
  elementTypeParams: { max_length },
});
const of = (dataType: string, fieldName: string) => ({ fieldName, dataType });

/** What a collection is made of. */
export const bodyOf = (dimension: number) => ({
  schema: {
    autoID: false,
    enableDynamicField: false,
    fields: [
      { ...text('id', 64), isPrimary: true },
      text('sluice_index', 64),
      text('document_id', 4_096),
      of('Int64', 'version'),
      of('Int64', 'position'),
      text('node_id', 4_096),
      text('title', LONGEST_TEXT),
      text('text', LONGEST_TEXT),
      of('JSON', 'metadata'),
      of('JSON', 'pages'),
      of('Bool', 'sluice_partial'),
      { ...of('FloatVector', VECTOR), elementTypeParams: { dim: dimension } },
    ],
  },
  indexParams: [
    { metricType: 'COSINE', fieldName: VECTOR, indexName: VECTOR, params: { index_type: 'AUTOINDEX' } },
  ],
  params: { consistencyLevel: 'Strong' },
});

/** What keeps points with vectors of this dimension (any, where it is absent) out of a collection. */
export function unfit(name: string, there: Collection, dimension?: number): string | undefined {
  const named = `The collection ${name} (collection_name)`;
  const otherwise = 'another collection_name, of one that Sluice makes, is needed.';
  for (const { fieldName, dataType } of bodyOf(1).schema.fields) {
    const field = there.fields.find((each) => each.name === fieldName);
    if (field?.type !== dataType)
      return `${named} has no field ${fieldName} of the type ${dataType}: ${otherwise}`;
  }
  if (there.fields.find((each) => each.primaryKey)?.name !== 'id') {
    return `${named} has another primary key than id: ${otherwise}`;
  }
  const metric = there.indexes?.find((each) => each.fieldName === VECTOR)?.metricType ?? 'COSINE';
  if (metric !== 'COSINE') return `${named} compares vectors by ${metric}, and not by COSINE: ${otherwise}`;
  const held = dimensionOf(there);
  if (dimension !== undefined && held !== undefined && held !== dimension) {
    return `${named} holds vectors of ${held} dimensions, and the embedding model gives ${dimension}: another collection_name or another embedding_config is needed.`;
  }
  return undefined;
}

export function dimensionOf({ fields }: Collection): number | undefined {
  const params = fields.find(({ name }) => name === VECTOR)?.params;
  const said = params?.find(({ key }) => key === 'dim')?.value;
  return said === undefined ? undefined : Number(said);
}
