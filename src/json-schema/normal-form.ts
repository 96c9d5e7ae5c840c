import { entries, isRecord } from './schema.ts';
import { COMBINERS } from './subschemas.ts';

/** Types that the rest of a schema implies are written out and names are listed once; meaning stays. */
export function normalise(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(normalise);
  if (!isRecord(schema)) return schema;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' || key === '$defs' || key === 'definitions') {
      out[key] = Object.fromEntries(entries(value).map(([name, inner]) => [name, normalise(inner)]));
    } else if (key === 'items' || key === 'additionalProperties' || COMBINERS.includes(key as 'anyOf')) {
      out[key] = normalise(value);
    } else if (key === 'required') out[key] = [...new Set(value as string[])];
    else out[key] = value;
  }
  if (out.type === undefined && out.properties) out.type = 'object';
  else if (out.type === undefined && out.items) out.type = 'array';
  return out;
}
