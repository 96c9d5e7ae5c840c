import { useQuery } from '@tanstack/react-query';
import { send } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';

/** Subset of JSON Schema that the forms support. */
export interface Schema {
  title?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * Fetches the service's OpenAPI document. Only screens that build a form from the document load it, because
 * it is large.
 */
export function useOpenApi() {
  return useQuery<OpenApiDocument, ApiError>({
    queryKey: ['description'],
    queryFn: ({ signal }) =>
      send({ method: 'GET', path: '/openapi.json' }, signal) as Promise<OpenApiDocument>,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Returns the schema that a `$ref` refers to. A schema without `$ref` is returned unchanged. Without a
 * schema, the result is an empty one.
 */
export function resolveReference(description: OpenApiDocument, schema: Schema | undefined): Schema {
  const name = schema?.$ref?.split('/').at(-1);
  return (name ? description.components?.schemas?.[name] : schema) ?? {};
}

export function getBodySchema(description: OpenApiDocument, method: string, path: string): Schema {
  const content = description.paths[path]?.[method]?.requestBody?.content;
  return resolveReference(description, content?.['application/json']?.schema);
}

/**
 * Collects the object schemas that are allowed for a field, by title. Nested alternatives (`anyOf`) are
 * included.
 */
export function collectSchemasByTitle(
  description: OpenApiDocument,
  schema: Schema | undefined,
): Map<string, Schema> {
  const kinds = new Map<string, Schema>();
  const walk = (given: Schema | undefined, depth: number) => {
    const known = resolveReference(description, given);
    if (known.title && known.properties) kinds.set(known.title, known);
    else if (depth < 4) for (const each of known.anyOf ?? []) walk(each, depth + 1);
  };
  walk(schema, 0);
  return kinds;
}

/**
 * Removes `null` from the types that a field allows. The field keeps its description. Without
 * one, it gets the description of the only remaining alternative.
 */
export function unwrapNullable(schema: Schema): Schema & { types: string[] } {
  const isNull = ({ type }: Schema) => type === 'null';
  const only = schema.anyOf?.filter((each) => !isNull(each));
  const inner = only?.length === 1 ? { ...only[0], ...omitAlternatives(schema) } : schema;
  const types = [inner.type ?? []].flat().filter((type) => type !== 'null');
  return { ...inner, types };
}

const omitAlternatives = ({ anyOf: _, ...rest }: Schema): Schema => rest;

/** Turns a field name into a label: `account_url` becomes "Account URL". */
export function toLabel(name: string): string {
  const capitals = new Set(['url', 'uri', 'id', 'api', 'ssl', 'tls', 'db', 'ip', 'aws', 's3', 'jql', 'cql']);
  const words = name.split('_').map((word) => (capitals.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
