import { getSchemaType, type JsonSchema } from '#src/json-schema/schema.ts';
import { type DateOrder, listPossibleDates } from './values/dates.ts';
import { findAmounts } from './values/numbers.ts';

export type Scalar = string | number | boolean;

const YES = new Set(['true', 'yes', 'y', '1', 'ja', 'oui', 'tak', 'si']);
const NO = new Set(['false', 'no', 'n', '0', 'nein', 'nee', 'non', 'nie']);

/**
 * Converts a value to the scalar type that a schema without references requires. Returns `undefined` if the
 * meaning is uncertain. Ambiguous dates such as 03/04/2020 need the date order of the document.
 */
export function convertScalar(schema: JsonSchema, value: unknown, order: DateOrder | undefined): unknown {
  const options = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (options) {
    if (options.includes(value)) return value;
    const comparable = toComparableText(value);
    return comparable === undefined
      ? undefined
      : options.find((option) => toComparableText(option) === comparable);
  }
  const type = getSchemaType(schema);
  if (type === 'string') return convertToString(schema, value, order);
  if (type === 'number' || type === 'integer') return convertToNumber(type, value);
  return type === 'boolean' ? convertToBoolean(value) : undefined;
}

/**
 * Converts a scalar to text, so that it can be compared with enum options. Returns `undefined` for lists and
 * objects.
 */
function toComparableText(value: unknown): string | undefined {
  if (!isScalar(value)) return undefined;
  return String(value)
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function convertToString(schema: JsonSchema, value: unknown, order?: DateOrder): string | undefined {
  if (!isScalar(value)) return undefined;
  const text = String(value).trim();
  if (text === '') return undefined;
  if (schema.format === 'date') {
    const dates = listPossibleDates(text, order);
    return dates.size === 1 ? [...dates][0] : undefined;
  }
  if (schema.format === 'uri' && /^(?:www\.|[a-z0-9-]+\.[a-z]{2,}(?:$|\/))/i.test(text))
    return `https://${text}`;
  return typeof value === 'string' ? text : String(value);
}

function convertToNumber(type: string, value: unknown): number | undefined {
  let number: number | undefined;
  if (typeof value === 'number') number = value;
  else if (typeof value === 'string') {
    const plain = value.trim();
    if (/^-?\d+(?:\.\d+)?$/.test(plain)) number = Number(plain);
    else {
      const amounts = findAmounts(plain);
      if (amounts.length === 1) number = amounts[0]!.value;
    }
  }
  if (number === undefined || !Number.isFinite(number)) return undefined;
  if (type === 'integer' && !Number.isInteger(number)) return undefined;
  return number;
}

function convertToBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (!isScalar(value)) return undefined;
  const text = String(value).trim().toLowerCase();
  if (YES.has(text)) return true;
  return NO.has(text) ? false : undefined;
}
