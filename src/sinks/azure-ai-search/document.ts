import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import type { FieldType, FilterableKey } from './filterable.ts';

/** The vendor's limit on a text that can be filtered is 32,766 bytes. */
const MOST_BYTES = 32_000;
const MOST_ELEMENTS = 3_000;
const INT32 = 2 ** 31;

type Scalar = string | number | boolean;

/** Whether the vendor's language of filters can say a text, and its fields can hold it. */
export const isSayable = (value: string): boolean =>
  value.isWellFormed() && !value.includes('\u0000') && new TextEncoder().encode(value).length <= MOST_BYTES;

/** The value as a field of a type holds it; undefined where it cannot. Booleans are the words true and false. */
export function valueFor(type: FieldType, value: Scalar): Scalar | undefined {
  switch (type) {
    case 'String':
    case 'Collection': {
      const text = typeof value === 'boolean' ? String(value) : value;
      return typeof text === 'string' && isSayable(text) ? text : undefined;
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

/** What a field holds of a key's value; undefined where that is not all of it. */
function fieldValue(type: FieldType, value: MetadataValue): Scalar | Scalar[] | null | undefined {
  const values = [value ?? []].flat();
  const held = values.map((each) => valueFor(type, each));
  if (held.includes(undefined) || held.length > MOST_ELEMENTS) return undefined;
  if (type === 'Collection') return held as Scalar[];
  return held.length > 1 ? undefined : (held[0] ?? null);
}

/** What is said of a document on each of its points. */
export function described(title: string, metadata: Metadata, keys: FilterableKey[]): Record<string, unknown> {
  const fields = keys.map(({ key, field, type }) => {
    const value = Object.hasOwn(metadata, key) ? metadata[key]! : null;
    const held = fieldValue(type, value);
    const empty = type === 'Collection' ? [] : null;
    return { field, held: held === undefined ? empty : held, isHeld: held !== undefined };
  });
  return {
    title: title.toWellFormed(),
    metadata: JSON.stringify(metadata),
    // By these fields' names narrowings let the document pass, whatever they ask for.
    unfilterable: fields.filter(({ isHeld }) => !isHeld).map(({ field }) => field),
    ...Object.fromEntries(fields.map(({ field, held }) => [field, held])),
  };
}

/** A point as the index holds it. */
export function documentOf(
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
    ...described(point.title, point.metadata, keys),
  };
}
