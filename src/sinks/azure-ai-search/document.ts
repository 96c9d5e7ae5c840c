import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import type { FieldType, FilterableKey } from './filterable.ts';

/** Maximum size of a filterable text in bytes, slightly below Azure's limit of 32,766 bytes. */
const MAX_BYTES = 32_000;
const MAX_ELEMENTS = 3_000;
const INT32 = 2 ** 31;

type Scalar = string | number | boolean;

/** Returns whether a filterable field of Azure can hold the text and a filter can compare it. */
export const isFilterableText = (value: string): boolean =>
  value.isWellFormed() && !value.includes('\u0000') && new TextEncoder().encode(value).length <= MAX_BYTES;

/**
 * Converts a value to the type of a filterable field. Text fields store booleans as the words `true` and
 * `false`. Returns `undefined` if the field cannot hold the value.
 */
export function toFieldScalar(type: FieldType, value: Scalar): Scalar | undefined {
  switch (type) {
    case 'String':
    case 'Collection': {
      const text = typeof value === 'boolean' ? String(value) : value;
      return typeof text === 'string' && isFilterableText(text) ? text : undefined;
    }
    case 'Boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'Int32':
      return Number.isInteger(value) && (value as number) >= -INT32 && (value as number) < INT32
        ? value
        : undefined;
    case 'Int64':
      return Number.isSafeInteger(value) ? value : undefined;
    case 'Double':
      return Number.isFinite(value) ? value : undefined;
  }
}

/**
 * Converts a metadata value for a filterable field. Returns `undefined` if the field cannot hold the value
 * completely.
 */
function toFieldValue(type: FieldType, value: MetadataValue): Scalar | Scalar[] | null | undefined {
  const values = [value ?? []].flat();
  const held = values.map((each) => toFieldScalar(type, each));
  if (held.includes(undefined) || held.length > MAX_ELEMENTS) return undefined;
  if (type === 'Collection') return held as Scalar[];
  return held.length > 1 ? undefined : (held[0] ?? null);
}

/** Builds the fields that all points of a document share: title, metadata and filterable fields. */
export const toSharedFields = (
  title: string,
  metadata: Metadata,
  keys: FilterableKey[],
): Record<string, unknown> => ({
  title: title.toWellFormed(),
  metadata: JSON.stringify(metadata),
  ...toFilterableFields(metadata, keys),
});

/** Builds the fields by which Azure filters. */
export function toFilterableFields(metadata: Metadata, keys: FilterableKey[]): Record<string, unknown> {
  const fields = keys.map(({ key, field, type }) => {
    const value = Object.hasOwn(metadata, key) ? metadata[key]! : null;
    const held = toFieldValue(type, value);
    const empty = type === 'Collection' ? [] : null;
    return { field, held: held === undefined ? empty : held, isHeld: held !== undefined };
  });
  return {
    // Fields that do not hold their metadata value completely. A pre-filter that compares such a field
    // accepts the document.
    unfilterable: fields.filter(({ isHeld }) => !isHeld).map(({ field }) => field),
    ...Object.fromEntries(fields.map(({ field, held }) => [field, held])),
  };
}

export function toSearchDocument(
  indexId: string,
  point: VectorPoint,
  keys: FilterableKey[],
): Record<string, unknown> & { id: string } {
  return {
    id: point.id,
    sluice_index: indexId,
    document_id: point.documentId,
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    text: point.text.toWellFormed(),
    pages: JSON.stringify(point.pages),
    vector: [...point.vector],
    ...toSharedFields(point.title, point.metadata, keys),
  };
}
