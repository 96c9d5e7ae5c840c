import { z } from 'zod';
import type { Operation } from '#src/api/operation/operation-types.ts';
import { isWithoutEffect } from '#src/lib/schema/effect.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';

const PARSE_PARAMETERS = new Set<z.ZodType>(Object.values(parseParameters.shape));

/**
 * Returns the fields without effect in the body and query of an operation, as operation id and field path.
 */
export function marked({ id, body, query }: Pick<Operation, 'id' | 'body' | 'query'>): string[] {
  const schemas = [body && 'json' in body ? body.json : undefined, query];
  const fields = schemas.flatMap((schema) => (schema ? [...below(schema)] : []));
  return [...new Set(fields)].map((field) => `${id} ${field}`);
}

/**
 * Reads the tables of a page whose rows begin with one operation or several and a field: | `operation`, … | `field` |.
 * Returns the operation's id and the field for each operation of each row.
 */
export function documentedFields(page: string): string[] {
  return [...page.matchAll(/^\| (`[a-z]\w+`(?:, `\w+`)*) \| `([\w.]+)` \|/gm)].flatMap(
    ([, operations = '', field]) => [...operations.matchAll(/\w+/g)].map(([id]) => `${id} ${field}`),
  );
}

/** Returns every marked field of a schema by path. Parse parameters are documented in a separate table. */
function* below(schema: z.ZodType, path: string[] = [], seen = new Set<z.ZodType>()): Generator<string> {
  if (PARSE_PARAMETERS.has(schema) || seen.has(schema)) return;
  const within = new Set(seen).add(schema);
  if (isWithoutEffect(schema)) yield path.join('.');
  else if (schema instanceof z.ZodObject) {
    for (const [name, field] of Object.entries(schema.shape)) {
      yield* below(field as z.ZodType, [...path, name], within);
    }
  } else if (schema instanceof z.ZodArray) yield* below(schema.element as z.ZodType, path, within);
  else if (schema instanceof z.ZodUnion) {
    for (const option of schema.options) yield* below(option as z.ZodType, path, within);
  } else if ('unwrap' in schema) yield* below((schema as z.ZodOptional).unwrap() as z.ZodType, path, within);
}
