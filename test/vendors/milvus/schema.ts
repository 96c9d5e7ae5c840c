import type { Entity } from './expression.ts';

export interface Field {
  fieldName: string;
  dataType: string;
  isPrimary?: boolean;
  elementTypeParams?: {
    max_length?: number;
    dim?: number;
    enable_analyzer?: boolean;
    analyzer_params?: { tokenizer?: string };
  };
}
export interface Schema {
  fields: Field[];
  functions?: { name: string; type: string; inputFieldNames: string[]; outputFieldNames: string[] }[];
}
export interface IndexParam {
  fieldName: string;
  metricType: string;
}

const LARGEST_JSON = 65_536;
const LONGEST_TEXT = 65_535;
const METRICS: Record<string, string[]> = { FloatVector: ['COSINE'], SparseFloatVector: ['BM25'] };

/** Returns the input field of the BM25 function that fills a sparse vector field. */
export const findInput = ({ fields, functions = [] }: Schema, output: string): Field | undefined => {
  const source = functions.find(
    ({ type, outputFieldNames }) => type === 'BM25' && outputFieldNames[0] === output,
  );
  return fields.find(({ fieldName }) => fieldName === source?.inputFieldNames[0]);
};

/** Returns the reason why Milvus would refuse to create a collection. */
export function findSchemaProblem(schema: Schema, indexes: IndexParam[]): string | undefined {
  for (const field of schema.fields) {
    const { fieldName, dataType, elementTypeParams: params = {} } = field;
    if (dataType === 'VarChar' && !((params.max_length ?? 0) >= 1 && params.max_length! <= LONGEST_TEXT))
      return `the maximum length specified for the field(${fieldName}) should be in (0, 65535]`;
    const metrics = METRICS[dataType];
    if (!metrics) continue;
    const index = indexes.find((each) => each.fieldName === fieldName);
    if (!index || !metrics.includes(index.metricType)) return `invalid index of ${fieldName}`;
    if (dataType !== 'SparseFloatVector') continue;
    const input = findInput(schema, fieldName);
    if (!input?.elementTypeParams?.enable_analyzer)
      return `BM25 function input field must set enable_analyzer to true: ${fieldName}`;
    if (input.elementTypeParams.analyzer_params?.tokenizer !== 'whitespace')
      return 'The test vendor only has the tokenizer whitespace.';
  }
  return undefined;
}

const FITS: Record<string, (value: unknown, field: Field) => boolean> = {
  VarChar: (value, { elementTypeParams }) =>
    typeof value === 'string' && Buffer.byteLength(value) <= elementTypeParams!.max_length!,
  Int64: (value) => Number.isSafeInteger(value),
  Bool: (value) => typeof value === 'boolean',
  JSON: (value) => Buffer.byteLength(JSON.stringify(value)) <= LARGEST_JSON,
  FloatVector: (value, { elementTypeParams }) =>
    Array.isArray(value) && value.length === elementTypeParams!.dim && value.every(Number.isFinite),
  // Milvus computes the output of a function, and accepts no value for it.
  SparseFloatVector: (value) => value === undefined,
};

/** Returns the reason why Milvus would refuse an entity. */
export function findEntityProblem({ fields }: Schema, entity: Entity): string | undefined {
  const strange = Object.keys(entity).filter((name) => !fields.some(({ fieldName }) => fieldName === name));
  if (strange.length > 0) return `has pass more field without dynamic schema: ${strange}`;
  const wrong = fields.find((field) => !FITS[field.dataType]!(entity[field.fieldName], field));
  return wrong && `fail to deal the data: ${wrong.fieldName} is no ${wrong.dataType} of its length`;
}
