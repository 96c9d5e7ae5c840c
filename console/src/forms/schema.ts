import { useQuery } from '@tanstack/react-query';
import { send } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';

/** What of JSON Schema the forms know. */
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

interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components?: { schemas?: Record<string, Schema> };
}

/** The service's description of itself; large, and read only where a form is made of it. */
export function useDescription() {
  return useQuery<Description, ApiError>({
    queryKey: ['description'],
    queryFn: ({ signal }) => send({ method: 'GET', path: '/openapi.json' }, signal) as Promise<Description>,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Where a reference leads; any other schema is itself. */
export function resolve(description: Description, schema: Schema | undefined): Schema {
  const name = schema?.$ref?.split('/').at(-1);
  return (name ? description.components?.schemas?.[name] : schema) ?? {};
}

/** The body of an operation. */
export function bodySchema(description: Description, method: string, path: string): Schema {
  const content = description.paths[path]?.[method]?.requestBody?.content;
  return resolve(description, content?.['application/json']?.schema);
}

/** The schemas of the kinds that a member may be of, by their titles; alternatives may lie within alternatives. */
export function kindsOf(description: Description, schema: Schema | undefined): Map<string, Schema> {
  const kinds = new Map<string, Schema>();
  const walk = (given: Schema | undefined, depth: number) => {
    const known = resolve(description, given);
    if (known.title && known.properties) kinds.set(known.title, known);
    else if (depth < 4) for (const each of known.anyOf ?? []) walk(each, depth + 1);
  };
  walk(schema, 0);
  return kinds;
}

/** A member without the alternative that it is null, and its description, whichever of the two has it. */
export function settled(schema: Schema): Schema & { types: string[] } {
  const isNull = ({ type }: Schema) => type === 'null';
  const only = schema.anyOf?.filter((each) => !isNull(each));
  const inner = only?.length === 1 ? { ...only[0], ...without(schema) } : schema;
  const types = [inner.type ?? []].flat().filter((type) => type !== 'null');
  return { ...inner, types };
}

const without = ({ anyOf: _, ...rest }: Schema): Schema => rest;

/** `account_url` as a label: "Account URL". */
export function labelOf(name: string): string {
  const capitals = new Set(['url', 'uri', 'id', 'api', 'ssl', 'tls', 'db', 'ip', 'aws', 's3', 'jql', 'cql']);
  const words = name.split('_').map((word) => (capitals.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
