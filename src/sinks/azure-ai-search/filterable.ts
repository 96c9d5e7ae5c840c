import { z } from 'zod';

/** Types of filterable fields. Names and order are those of the LlamaIndex library for Azure AI Search. */
const TYPES = ['String', 'Boolean', 'Int32', 'Int64', 'Double', 'Collection'] as const;
export type FieldType = (typeof TYPES)[number];

/** Metadata key that has a field of its own in the Azure index. */
export interface FilterableKey {
  key: string;
  field: string;
  type: FieldType;
}

/** Names of the fields that Sluice creates in every Azure index. */
export const OWN_FIELDS = [
  ...['id', 'sluice_index', 'document_id', 'version', 'position', 'node_id', 'title', 'text', 'metadata'],
  ...['pages', 'unfilterable', 'vector'],
  ...['sluice_words', 'sluice_record', 'sluice_node', 'sluice_position'],
];
const FIELD = /^(?!azureSearch)[a-zA-Z]\w{0,127}$/;
const MAX_KEYS = 100;

type Given = Record<string, unknown> | null | undefined;

/**
 * Schema of filterable metadata keys as clients send them. For each key, it contains a type, a field name, or
 * both in a list.
 */
export const filterableKeys = z
  .record(z.string(), z.unknown())
  .superRefine((given, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    const entries = Object.entries(given);
    if (entries.length > MAX_KEYS) refuse(entries[MAX_KEYS]![0], `At most ${MAX_KEYS} keys are allowed.`);
    const taken = new Set(OWN_FIELDS);
    for (const [key, value] of entries.slice(0, MAX_KEYS)) {
      const read = parseKey(key, value);
      if (!read) {
        refuse(
          key,
          `The value must be a type (${TYPES.join(', ')}), a field name, or a list of a field name and a type.`,
        );
      } else if (!FIELD.test(read.field)) {
        refuse(
          key,
          'Field names start with a letter and consist of at most 128 letters, digits and underscores.',
        );
      } else if (taken.has(read.field)) {
        refuse(key, `Another field has the name ${read.field}.`);
      } else {
        taken.add(read.field);
      }
    }
  })
  .describe(
    'Metadata keys that become fields of the index, which makes filters on large indexes faster: `{"year": "Int32", "author": "writer", "theme": ["topic", "Collection"]}`. A type alone keeps the name of the key, and a field name alone has the type String. Types are String, Boolean, Int32, Int64, Double and Collection (of strings).',
  )
  .nullish();

export const parseFilterableKeys = (given: Given): FilterableKey[] =>
  Object.entries(given ?? {}).flatMap(([key, value]) => parseKey(key, value) ?? []);

function parseKey(key: string, value: unknown): FilterableKey | undefined {
  if (value === null || value === '') return { key, field: key, type: 'String' };
  const type = parseType(value);
  if (type) return { key, field: key, type };
  if (typeof value === 'string') return { key, field: value, type: 'String' };
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [field, ofField] = [value[0] as unknown, parseType(value[1])];
  return typeof field === 'string' && ofField ? { key, field, type: ofField } : undefined;
}

/** Parses a type name or a type number. Type numbers start at 1. */
function parseType(value: unknown): FieldType | undefined {
  if (typeof value === 'number') return TYPES[value - 1];
  const name = typeof value === 'string' ? value.replace(/^Edm\./, '').toLowerCase() : undefined;
  return TYPES.find((type) => type.toLowerCase() === name);
}
