import type { OpenAPIRegistryMerger } from 'chanfana';
import { describeHealth } from '../health.ts';
import { RESPONSE_HEADERS } from '../http/response-headers.ts';
import { describeWarnings, warned } from '../http/warnings.ts';
import { ERROR_RESPONSES } from '../operation/error-responses.ts';
import { errorBody, validationErrorBody } from '../operation/schemas.ts';

/** Registers what the descriptions of all operations refer to, and the one route that is no operation. */
export function describeShared(registry: OpenAPIRegistryMerger): void {
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'session', { type: 'apiKey', in: 'cookie', name: 'session' });
  for (const [name, header] of Object.entries(RESPONSE_HEADERS))
    registry.registerComponent('headers', name, header);
  for (const [name, response] of Object.entries(ERROR_RESPONSES))
    registry.registerComponent('responses', name, response);
  registry.register('ErrorBody', errorBody);
  registry.register('ValidationError', validationErrorBody);
  registry.register('Warned', warned);
  describeHealth(registry);
}

/** The published description, from what the generator makes of the schemas. */
export function describeService(generated: unknown): object {
  return describeWarnings(mendDescription(generated) as object);
}

type Node = Record<string, unknown>;

/**
 * Puts right where the generator's JSON Schema says something else than the zod schema means: a component that may
 * be null, and the flags of a regular expression, which JSON Schema has no place for. Objects, lists and enumerations
 * that may be null become alternatives: generators of clients read nothing else as such.
 */
function mendDescription(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(mendDescription);
  if (typeof node !== 'object' || node === null) return node;
  const mended = mendSchema(node as Node);
  return Object.fromEntries(Object.entries(mended).map(([name, value]) => [name, mendDescription(value)]));
}

function mendSchema(node: Node): Node {
  const { allOf, ...rest } = node;
  if (Array.isArray(allOf) && allOf.some(isNullableMarker)) {
    const parts = allOf.filter((part) => !isNullableMarker(part));
    const whole = parts.length === 1 ? parts[0] : { allOf: parts };
    return { ...rest, anyOf: [whole, { type: 'null' }] };
  }
  if (admitsNull(node) && (node.enum || (node.type as string[]).some(isNested))) return withAlternative(node);
  if (typeof node.pattern === 'string') return { ...node, pattern: node.pattern.replace(/(?<!\\)\/u$/, '') };
  return node;
}

const isNested = (type: string) => type === 'object' || type === 'array';

function withAlternative({ type, enum: members, ...rest }: Node): Node {
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

const admitsNull = (node: Node) => Array.isArray(node.type) && node.type.includes('null');

const isNullableMarker = (part: unknown) =>
  admitsNull(part as Node) && Object.keys(part as Node).length === 1;
