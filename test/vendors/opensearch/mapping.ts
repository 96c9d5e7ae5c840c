import { Refused } from '../behaviour.ts';

/** Mapping of a field. */
export interface Field {
  type?: string;
  index?: boolean;
  doc_values?: boolean;
  analyzer?: string;
  dimension?: number;
  dims?: number;
  similarity?: string;
  method?: { engine?: string; space_type?: string };
  [other: string]: unknown;
}
export type Fields = Record<string, Field>;
export type Source = Record<string, unknown>;

const LONGEST_TERM = 32_766;
const ANALYSERS = ['standard', 'whitespace'];
const MOST_FIELDS = 1_000;
const MOST_DIMENSIONS: Record<string, number> = { knn_vector: 16_000, dense_vector: 4_096 };

export const isVector = ({ type }: Field) => type === 'knn_vector' || type === 'dense_vector';
export const getDimension = ({ dimension, dims }: Field): number | undefined => dimension ?? dims;

/** Throws if a mapping has a field that the server refuses. */
export function checkFields(fields: Fields): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.analyzer !== undefined && !ANALYSERS.includes(field.analyzer)) {
      const message = `analyzer [${field.analyzer}] has not been configured in mappings`;
      throw new Refused({ status: 400, message });
    }
    const most = MOST_DIMENSIONS[field.type ?? ''];
    const dimension = getDimension(field);
    if (most === undefined) continue;
    if (dimension === undefined || dimension < 1 || dimension > most) {
      throw new Refused({ status: 400, message: `Dimension of [${name}] must be from 1 to ${most}` });
    }
  }
}

/** Adds fields to a mapping. Throws if a field exists with another type. */
export function mergeFields(fields: Fields, added: Fields): void {
  checkFields(added);
  for (const [name, field] of Object.entries(added)) {
    const existing = fields[name];
    if (existing && existing.type !== field.type) {
      const message = `mapper [${name}] cannot be changed from type [${existing.type}] to [${field.type}]`;
      throw new Refused({ status: 400, message });
    }
    fields[name] = field;
  }
}

/** Returns the reason why the server refuses a document, or `undefined` if it accepts the document. */
export function findDocumentProblem(source: Source, fields: Fields): string | undefined {
  for (const [name, value] of Object.entries(source)) {
    const field = fields[name];
    const problem = field && value !== null ? findValueProblem(name, value, field) : undefined;
    if (problem) return problem;
  }
  return undefined;
}

function findValueProblem(name: string, value: unknown, field: Field): string | undefined {
  if (isVector(field)) return findVectorProblem(name, value, field);
  for (const each of [value].flat()) {
    const isNumber = field.type === 'long' || field.type === 'integer' || field.type === 'float';
    if (typeof each !== (isNumber ? 'number' : 'string')) {
      return `failed to parse field [${name}] of type [${field.type}]`;
    }
    const isTerm = field.type === 'keyword' && field.index !== false;
    if (isTerm && Buffer.byteLength(each as string) > LONGEST_TERM) {
      return `Document contains at least one immense term in field="${name}"`;
    }
  }
  return undefined;
}

/** Returns the reason why the server refuses a vector of documents or queries. */
export function findVectorProblem(name: string, value: unknown, field: Field): string | undefined {
  const dimension = getDimension(field);
  if (!Array.isArray(value) || value.length !== dimension) {
    const given = Array.isArray(value) ? value.length : 'no';
    return `Vector dimension mismatch for field [${name}]. Expected: ${dimension}, Given: ${given}`;
  }
  const length = value.reduce<number>((sum, x: number) => sum + Math.fround(x) ** 2, 0);
  return Math.fround(length) > 0
    ? undefined
    : `The cosine similarity of field [${name}] does not support vectors with zero magnitude`;
}

/** Adds the fields that a server guesses from a document, unless the mapping forbids it. */
export function addGuessedFields(source: Source, fields: Fields, dynamic: unknown): void {
  if (String(dynamic ?? 'true') !== 'true') return;
  for (const [name, value] of Object.entries(source)) {
    const [first] = [value].flat();
    if (fields[name] || first === null || first === undefined) continue;
    fields[name] = {
      type: typeof first === 'number' ? 'float' : typeof first === 'string' ? 'text' : 'object',
    };
    if (Object.keys(fields).length > MOST_FIELDS) {
      throw new Refused({ status: 400, message: `Limit of total fields [${MOST_FIELDS}] has been exceeded` });
    }
  }
}
