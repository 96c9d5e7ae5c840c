import { z } from 'zod';
import { Invalid, type Issue } from '#src/lib/errors.ts';
import { findNearestName } from '../text/nearest-name.ts';
import { compilePattern } from '../text/pattern.ts';
import { withoutEffect } from './effect.ts';
import { listUnknownMembers } from './unknown-members.ts';
import { parseInput } from './zod-issues.ts';
import { isRecord } from './zod-walk.ts';

// Settings of one data sink, data source or embedding model. The kind determines the fields.

export type Component = Record<string, unknown>;
export type ComponentRegistry<Kind extends string = string> = Record<Kind, z.ZodObject>;
type Loc = (string | number)[];

/**
 * Schema of a free-form component, which may be any object. It is stored and returned unchanged, but no
 * driver can use it.
 */
export const freeFormComponent = z.record(z.string(), z.unknown());

const CHECKED =
  'The kind determines the fields: required fields must be present, and unknown fields are rejected.';
const FREE_FORM = `${CHECKED} A component without any field of its kind, or a similar one, is stored unchanged, but it cannot be used to connect.`;

export interface ComponentForms {
  /** True if a component that has no field of its kind is accepted unchanged. */
  freeForm: boolean;
}

/**
 * Returns a schema that accepts any object. Its OpenAPI description lists the shapes of the registry and, if
 * allowed, a free-form object.
 */
export function componentInput(registry: ComponentRegistry, { freeForm }: ComponentForms) {
  const shapes = Object.entries(registry).map(([kind, shape]) => {
    const { $schema, ...described } = z.toJSONSchema(shape, { io: 'input', override: withoutSafeIntegers });
    return { title: kind, ...described };
  });
  const free = { title: 'free-form', type: 'object', additionalProperties: true };
  return z.record(z.string(), z.unknown()).meta({
    description: freeForm ? FREE_FORM : CHECKED,
    // Null is allowed here because some fields with this schema are nullable. Other fields reject null by
    // their own type.
    anyOf: [...shapes, ...(freeForm ? [free] : []), { type: 'null' }],
  });
}

function withoutSafeIntegers({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

const COMPONENT_LOC: Loc = ['body', 'component'];

/**
 * Returns the schema of a stored component. The schema of the kind applies if the component has a field of
 * that kind, or if it is empty and the kind requires no field. All other components are free-form. Fields
 * that are null count as absent.
 */
export function componentSchema(registry: ComponentRegistry, kind: string, component: Component): z.ZodType {
  const shape = registry[kind];
  if (!shape) return freeFormComponent;
  const fields = listMemberNames(component);
  if (fields.length === 0) return shape.safeParse({}).success ? shape : freeFormComponent;
  return fields.some((name) => Object.hasOwn(shape.shape, name)) ? shape : freeFormComponent;
}

interface ParseComponentOptions extends Partial<ComponentForms> {
  loc?: Loc;
  /**
   * Stored component of the same kind. Its fields are accepted again, even if the schema no longer contains
   * them.
   */
  stored?: Component;
}

/**
 * Validates a component and fills in defaults. Throws `Invalid` with one issue per wrong field. A component
 * is free-form only if none of its fields is a field of the kind or similar to one, so that misspelt fields
 * are rejected.
 */
export function parseComponent(
  registry: ComponentRegistry,
  kind: string,
  value: unknown,
  { loc = COMPONENT_LOC, stored = {}, freeForm = true }: ParseComponentOptions = {},
): { component: Component; freeForm: boolean } {
  if (!isRecord(value)) {
    const missing = value === undefined;
    const msg = missing ? 'Field required' : 'Input should be a valid object';
    throw new Invalid([{ loc, msg, type: missing ? 'missing' : 'dict_type' }]);
  }
  const shape = registry[kind];
  if (!shape || (freeForm && isFreeForm(shape, value, stored))) return { component: value, freeForm: true };
  const component = withoutNulls(value);
  const unknownMemberIssues = listUnknownMembers(kind, shape, component, stored, loc);
  return { component: parseKnownComponent(shape, component, loc, unknownMemberIssues), freeForm: false };
}

/** Schema that accepts any component and warns that the component cannot be used to connect. */
const unusableComponent = withoutEffect(freeFormComponent, (_, { sink_type, source_type }) => {
  const kind = String(sink_type ?? source_type);
  return `None of the fields is known for ${kind}. The component is stored, but it cannot be used to connect.`;
});

/**
 * Returns the schema whose warnings apply to a component: the schema of its kind, or one that warns of the
 * whole component if it is free-form. Returns `undefined` if the registry does not have the kind.
 */
export function componentWarnings(
  registry: ComponentRegistry,
  kind: unknown,
  component: unknown,
): z.ZodType | undefined {
  const shape = typeof kind === 'string' && Object.hasOwn(registry, kind) ? registry[kind] : undefined;
  if (!shape || !isRecord(component)) return shape;
  return isFreeForm(shape, component, {}) ? unusableComponent : shape;
}

function isFreeForm({ shape }: z.ZodObject, component: Component, stored: Component): boolean {
  const known = Object.keys(shape);
  const names = listMemberNames(component);
  return (
    names.length > 0 &&
    names.every((name) => !isKnownName(known, name) || isStoredMember(shape, stored, name))
  );
}

const isKnownName = (known: string[], name: string) =>
  known.includes(name) || findNearestName(name, known) !== undefined;

const isStoredMember = (shape: z.ZodRawShape, stored: Component, name: string) =>
  !Object.hasOwn(shape, name) && Object.hasOwn(stored, name);

function parseKnownComponent(
  shape: z.ZodObject,
  component: Component,
  loc: Loc,
  unknownMemberIssues: Issue[],
): Component {
  try {
    const result = parseInput(shape, component, loc);
    if (unknownMemberIssues.length === 0) return result;
  } catch (error) {
    if (error instanceof Invalid) throw new Invalid([...unknownMemberIssues, ...error.issues]);
    throw error;
  }
  throw new Invalid(unknownMemberIssues);
}

/** Returns the names of the component's fields that are not null. `class_name` is ignored. */
function listMemberNames(component: Component): string[] {
  return Object.keys(withoutNulls(component)).filter((name) => name !== 'class_name');
}

function withoutNulls(component: Component): Component {
  return Object.fromEntries(Object.entries(component).filter(([, member]) => member !== null));
}

/**
 * Builders for fields of component schemas. Optional fields also accept null, which means that they are
 * absent.
 */
export const field = {
  text: () => z.string().nullish(),
  textOr: (value: string) => z.string().nullable().default(value),
  number: () => z.number().nullish(),
  int: () => z.int().nullish(),
  flag: () => z.boolean().nullish(),
  flagOr: (value: boolean) => z.boolean().nullable().default(value),
  onlyTrue: () => z.literal(true).nullable().default(true),
  texts: () => z.array(z.string()).nullish(),
  map: () => z.record(z.string(), z.unknown()).nullish(),
};

/** Schema of a text that must be a valid regular expression. */
export function regexText() {
  return z.string().superRefine((pattern, context) => {
    try {
      compilePattern(pattern);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
}
