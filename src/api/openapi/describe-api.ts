import { fromHono, type OpenAPIRegistryMerger } from 'chanfana';
import type { Hono } from 'hono';
import { addExamples, type ExampleTranslation } from '../examples/describe.ts';
import { describeHealth } from '../health.ts';
import type { ApiEnv } from '../http/middleware.ts';
import { RESPONSE_HEADERS } from '../http/response-headers.ts';
import { describeWarnings, warningsSchema } from '../http/warnings.ts';
import { register } from '../operation/endpoint.ts';
import { ERROR_RESPONSES } from '../operation/error-responses.ts';
import { restoreLiteralColon } from '../operation/literal-colon.ts';
import type { Operation } from '../operation/operation-types.ts';
import { errorBody, validationErrorBody } from '../operation/schemas.ts';
import { describeTags } from '../operation/tags.ts';
import { VERSION } from './version.ts';

type Node = Record<string, unknown>;

const isNested = (type: string) => type === 'object' || type === 'array';

const admitsNull = (node: Node) => Array.isArray(node.type) && node.type.includes('null');

const isNullableMarker = (part: unknown) =>
  admitsNull(part as Node) && Object.keys(part as Node).length === 1;

interface OpenApiDocument {
  paths: Record<string, Record<string, { tags?: string[] }>>;
  components: Record<string, Record<string, unknown>>;
}

interface ApiDescription {
  title: string;
  description: string;
  /** Path prefix of the operations, such as `/compat`. Absent if the operations have no prefix. */
  mount?: string;
  /** Converts the OpenAPI description to the names that clients of the path prefix use. */
  translate?: (description: object) => object;
  translatedExamples?: ExampleTranslation;
}

/** Adds routes for the operations, and a route for `/openapi.json`, which describes them. */
export function addDescribedOperations(
  app: Hono<ApiEnv>,
  operations: readonly Operation[],
  { title, description, mount, translate = (described) => described, translatedExamples }: ApiDescription,
): void {
  const router = fromHono(app, {
    docs_url: null,
    redoc_url: null,
    openapi_url: null,
    openapiVersion: '3.1',
    passthroughErrors: true,
    schema: {
      info: {
        title,
        version: VERSION,
        description,
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'The operator of this installation' },
      },
      servers: [{ url: mount ?? '/', description: 'This installation' }],
    },
  });
  describeShared(router.registry);
  register(router, operations);

  const describe = async () => {
    const published = addTags(
      dropUnusedComponents(translate(describeService(router.schema)) as OpenApiDocument),
    );
    const { default: examples } = await import('../examples/recorded.json');
    return addExamples(published, examples, translatedExamples);
  };
  let described: Promise<object> | undefined;
  app.get('/openapi.json', async (c) => {
    // The description is created on the first request, because converting all schemas would slow down the
    // start.
    described ??= describe();
    return c.json(await described);
  });
}

function addTags<D extends OpenApiDocument>(description: D) {
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
  return { ...description, tags: describeTags(new Set(operations.flatMap(({ tags = [] }) => tags))) };
}

/** Removes components that nothing refers to, for mounts with few operations. Security schemes are kept. */
function dropUnusedComponents<D extends OpenApiDocument>(description: D): D {
  const { components, ...rest } = description;
  const used = new Set<string>();
  const open = [...listReferences(rest)];
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    if (used.has(reference)) continue;
    used.add(reference);
    const [, , kind = '', name = ''] = reference.split('/');
    open.push(...listReferences(components[kind]?.[name]));
  }
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    kind === 'securitySchemes' ? named : pickUsed(named, `#/components/${kind}/`, used),
  ]);
  return { ...description, components: Object.fromEntries(kept) };
}

const pickUsed = (named: Record<string, unknown>, prefix: string, used: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${prefix}${name}`)));

function* listReferences(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, member] of Object.entries(node)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* listReferences(member);
  }
}

/** Registers the OpenAPI components that operations share, and the routes that are not operations. */
function describeShared(registry: OpenAPIRegistryMerger): void {
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'session', { type: 'apiKey', in: 'cookie', name: 'session' });
  for (const [name, header] of Object.entries(RESPONSE_HEADERS))
    registry.registerComponent('headers', name, header);
  for (const [name, response] of Object.entries(ERROR_RESPONSES))
    registry.registerComponent('responses', name, response);
  registry.register('ErrorBody', errorBody);
  registry.register('ValidationError', validationErrorBody);
  registry.register('Warned', warningsSchema);
  describeHealth(registry);
}

function describeService(generated: unknown): object {
  const fixed = fixDescription(generated) as OpenApiDocument;
  const paths = Object.entries(fixed.paths).map(([path, item]) => [restoreLiteralColon(path), item]);
  return describeWarnings({ ...fixed, paths: Object.fromEntries(paths) });
}

/**
 * Corrects the generated JSON Schema. Components are made nullable, and flags of regular expressions are
 * removed, because JSON Schema cannot express them. Nullable objects, lists and enumerations become
 * alternatives, because client generators understand no other form.
 */
function fixDescription(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(fixDescription);
  if (typeof node !== 'object' || node === null) return node;
  const fixed = fixSchema(node as Node);
  return Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, fixDescription(value)]));
}

function fixSchema(node: Node): Node {
  const { allOf, ...rest } = node;
  if (Array.isArray(allOf) && allOf.some(isNullableMarker)) {
    const parts = allOf.filter((part) => !isNullableMarker(part));
    const whole = parts.length === 1 ? parts[0] : { allOf: parts };
    return { ...rest, anyOf: [whole, { type: 'null' }] };
  }
  if (admitsNull(node) && (node.enum || (node.type as string[]).some(isNested)))
    return toNullableAlternative(node);
  if (typeof node.pattern === 'string') return { ...node, pattern: node.pattern.replace(/(?<!\\)\/u$/, '') };
  return node;
}

function toNullableAlternative({ type, enum: members, ...rest }: Node): Node {
  const types = (type as string[]).filter((each) => each !== 'null');
  const about = ['description', 'default', 'deprecated'].filter((name) => rest[name] !== undefined);
  const schema = {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !about.includes(name))),
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(members) && { enum: members.filter((member) => member !== null) }),
  };
  return {
    ...Object.fromEntries(about.map((name) => [name, rest[name]])),
    anyOf: [schema, { type: 'null' }],
  };
}
