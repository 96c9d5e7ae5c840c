import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { fetchService } from './fetch-service.ts';

export interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'cookie';
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

type Content = Record<string, { schema?: Schema; example?: unknown }>;

export interface DescribedResponse {
  headers?: Record<string, { required?: boolean; schema: Schema }>;
  content?: Content;
}

export interface ApiOperation {
  method: string;
  path: string;
  operationId: string;
  deprecated?: boolean;
  security?: unknown[];
  'x-required-scope'?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, DescribedResponse>;
}

export interface Description {
  openapi: string;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, object>>;
  components: Record<string, Record<string, object>>;
}

/** Path prefixes of the API: native, compatible with existing clients, and compatible with OpenAI. */
export const MOUNTS = ['', '/compat', '/openai'] as const;
export type Mount = (typeof MOUNTS)[number];

const published = new Map<Mount, Promise<Description>>();

export function publishedDescription(mount: Mount = ''): Promise<Description> {
  const known = published.get(mount);
  if (known) return known;
  const asked: Promise<Description> = fetchService('GET', `${mount}/openapi.json`, { key: null }).then(
    (answer) => answer.json(),
  );
  published.set(mount, asked);
  return asked;
}

const isHealth = (path: string) => /\/health(\/|$)/.test(path);

/**
 * Returns the operations of the native API except health routes, which take no input and return failures with
 * a success body.
 */
export async function listedOperations(): Promise<ApiOperation[]> {
  return (await describedOperations()).filter(({ path }) => !isHealth(path));
}

/** Returns the operations that exist only for existing clients. */
export async function clientOperations(): Promise<ApiOperation[]> {
  const root = new Set((await listedOperations()).map(({ operationId }) => operationId));
  return (await describedOperations('/compat')).filter(
    ({ operationId, path }) => !isHealth(path) && !root.has(operationId),
  );
}

/** Returns the operations of the OpenAI-compatible API. */
export const openAiOperations = (): Promise<ApiOperation[]> => describedOperations('/openai');

/** Returns whether errors of an operation have the OpenAI format. */
export const tellsAsOpenAi = ({ path }: ApiOperation): boolean => path.startsWith('/openai/');

/** Returns every operation of the published description with resolved references. */
export async function describedOperations(mount: Mount = ''): Promise<ApiOperation[]> {
  const description = await publishedDescription(mount);
  return Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, spec]) =>
        ({
          ...inline(spec, description),
          method: method.toUpperCase(),
          path: `${mount}${path}`,
        }) as ApiOperation,
    ),
  );
}

function inline(node: unknown, root: object, within: string[] = []): object {
  if (Array.isArray(node)) return node.map((member) => inlineMember(member, root, within));
  const { $ref, ...rest } = node as { $ref?: string };
  if ($ref !== undefined) {
    // Unfolds a recursive schema twice and then accepts anything.
    if (within.filter((name) => name === $ref).length > 1) return {};
    const target = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], root);
    if (target === undefined) throw new Error(`${$ref} does not exist`);
    return inline({ ...(target as object), ...rest }, root, [...within, $ref]);
  }
  return Object.fromEntries(
    Object.entries(node as object).map(([name, member]) => [name, inlineMember(member, root, within)]),
  );
}

function inlineMember(member: unknown, root: object, within: string[]): unknown {
  return typeof member === 'object' && member !== null ? inline(member, root, within) : member;
}

const validators = new WeakMap<Schema, Validator>();

/** Returns the violations of a schema by a value. The list is empty if the value is valid. */
export function violations(schema: Schema, value: unknown): string[] {
  let validator = validators.get(schema);
  if (!validator) {
    validator = new Validator(schema as ConstructorParameters<typeof Validator>[0], '2020-12', false);
    validators.set(schema, validator);
  }
  return validator
    .validate(value)
    .errors.map(({ instanceLocation, error }: OutputUnit) => `${instanceLocation} ${error}`);
}

export const isValid = (schema: Schema, value: unknown): boolean => violations(schema, value).length === 0;

/** Returns the schema without its null alternative. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (anyOf) {
    const variants = anyOf.filter((variant) => variant.type !== 'null');
    return variants.length === 1 ? withoutNull({ ...rest, ...variants[0] }) : { ...rest, anyOf: variants };
  }
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== 'null');
  const members = schema.enum?.filter((member) => member !== null);
  return { ...schema, type: types.length === 1 ? types[0] : types, ...(members && { enum: members }) };
}
