import { z } from 'zod';

/** Types that a field of the vendor's index can be filtered by, as its library for LlamaIndex names and numbers them. */
const TYPES = ['String', 'Boolean', 'Int32', 'Int64', 'Double', 'Collection'] as const;
export type FieldType = (typeof TYPES)[number];

/** A key of documents' metadata that has a field of the index. */
export interface FilterableKey {
  key: string;
  field: string;
  type: FieldType;
}

/** Fields that the index has for all documents. */
export const OWN_FIELDS = [
  ...['id', 'sluice_index', 'document_id', 'version', 'position', 'node_id', 'title', 'text', 'metadata'],
  ...['pages', 'unfilterable', 'vector'],
];
const FIELD = /^(?!azureSearch)[a-zA-Z]\w{0,127}$/;
const MOST_KEYS = 100;

type Given = Record<string, unknown> | null | undefined;

/** As sent: a type, a field's name, or both in a list. Each key becomes a field of the index. */
export const filterableKeys = z
  .record(z.string(), z.unknown())
  .superRefine((given, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    const entries = Object.entries(given);
    if (entries.length > MOST_KEYS) refuse(entries[MOST_KEYS]![0], `There are at most ${MOST_KEYS} keys.`);
    const taken = new Set(OWN_FIELDS);
    for (const [key, value] of entries.slice(0, MOST_KEYS)) {
      const read = keyOf(key, value);
      if (!read) {
        refuse(
          key,
          `This is no type (${TYPES.join(', ')}), no field's name, and no list of a name and a type.`,
        );
      } else if (!FIELD.test(read.field)) {
        refuse(key, 'A field’s name has a letter first, then letters, digits and underscores; 128 at most.');
      } else if (taken.has(read.field)) {
        refuse(key, `There is another field of the name ${read.field}.`);
      } else {
        taken.add(read.field);
      }
    }
  })
  .describe(
    'Keys of metadata that the index is to have fields of, so that large indexes are searched by them faster: `{"year": "Int32", "author": "writer", "theme": ["topic", "Collection"]}`. A type keeps the key’s name, a name alone is of the type String; types are String, Boolean, Int32, Int64, Double and Collection (of strings).',
  )
  .nullish();

/** As checked above. */
export const filterableOf = (given: Given): FilterableKey[] =>
  Object.entries(given ?? {}).flatMap(([key, value]) => keyOf(key, value) ?? []);

function keyOf(key: string, value: unknown): FilterableKey | undefined {
  if (value === null || value === '') return { key, field: key, type: 'String' };
  const type = typeOf(value);
  if (type) return { key, field: key, type };
  if (typeof value === 'string') return { key, field: value, type: 'String' };
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [field, ofField] = [value[0] as unknown, typeOf(value[1])];
  return typeof field === 'string' && ofField ? { key, field, type: ofField } : undefined;
}

/** Numbers count from one. */
function typeOf(value: unknown): FieldType | undefined {
  if (typeof value === 'number') return TYPES[value - 1];
  const name = typeof value === 'string' ? value.replace(/^Edm\./, '').toLowerCase() : undefined;
  return TYPES.find((type) => type.toLowerCase() === name);
}
