import { z } from 'zod';
import { Invalid, type Issue } from '#src/lib/errors.ts';
import { nearestName } from '../text/nearest-name.ts';
import { compilePattern } from '../text/pattern.ts';
import { withoutEffect } from './effect.ts';
import { unknownMembers } from './unknown-members.ts';
import { parseInput } from './zod-issues.ts';
import { isRecord } from './zod-walk.ts';

// Settings of one sink, source or embedding model. The kind determines their shape.

export type Component = Record<string, unknown>;
export type ComponentRegistry<Kind extends string = string> = Record<Kind, z.ZodObject>;
type Loc = (string | number)[];

/** A component that is stored and returned unchanged, and that no driver can use. */
export const freeFormComponent = z.record(z.string(), z.unknown());

const HELD =
  'Held to its kind: a member that the kind requires must be there, and one that it does not know is refused.';
const FREE = `${HELD} A component of which no member is one of its kind, or resembles one, is kept as it is: nothing can be opened with it.`;

export interface ComponentForms {
  /** Whether a component without any member of its kind is accepted unchanged. */
  freeForm: boolean;
}

/**
 * Schema for any object. The OpenAPI description lists the shapes of the registry and, if allowed, a
 * free-form object.
 */
export function componentInput(registry: ComponentRegistry, { freeForm }: ComponentForms) {
  const shapes = Object.entries(registry).map(([kind, shape]) => {
    const { $schema, ...described } = z.toJSONSchema(shape, { io: 'input', override: withoutSafeIntegers });
    return { title: kind, ...described };
  });
  const free = { title: 'free-form', type: 'object', additionalProperties: true };
  return z.record(z.string(), z.unknown()).meta({
    description: freeForm ? FREE : HELD,
    // Null is for nullable uses. Elsewhere the type of the field excludes it.
    anyOf: [...shapes, ...(freeForm ? [free] : []), { type: 'null' }],
  });
}

function withoutSafeIntegers({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

const COMPONENT_LOC: Loc = ['body', 'component'];

/**
 * Returns the schema of a stored component: that of its kind if it has any of its fields, or no other field
 * and the kind requires none; otherwise the free form. Null counts as absent.
 */
export function componentSchema(registry: ComponentRegistry, kind: string, component: Component): z.ZodType {
  const shape = registry[kind];
  if (!shape) return freeFormComponent;
  const fields = namesIn(component);
  if (fields.length === 0) return shape.safeParse({}).success ? shape : freeFormComponent;
  return fields.some((name) => Object.hasOwn(shape.shape, name)) ? shape : freeFormComponent;
}

interface Held extends Partial<ComponentForms> {
  loc?: Loc;
  /** Stored component of the same kind. Its members may be sent back, even unknown ones. */
  stored?: Component;
}

/**
 * Validates a component and fills in defaults. Throws `Invalid` with one issue per field. Only a component
 * without any member of its kind or similar to one is free-form, so that misspelt components are rejected.
 */
export function parseComponent(
  registry: ComponentRegistry,
  kind: string,
  value: unknown,
  { loc = COMPONENT_LOC, stored = {}, freeForm = true }: Held = {},
): { component: Component; freeForm: boolean } {
  if (!isRecord(value)) {
    const missing = value === undefined;
    const msg = missing ? 'Field required' : 'Input should be a valid object';
    throw new Invalid([{ loc, msg, type: missing ? 'missing' : 'dict_type' }]);
  }
  const shape = registry[kind];
  if (!shape || (freeForm && isFreeForm(shape, value, stored))) return { component: value, freeForm: true };
  const component = withoutNulls(value);
  const strangers = unknownMembers(kind, shape, component, stored, loc);
  return { component: parsed(shape, component, loc, strangers), freeForm: false };
}

/** Accepts any component and warns that no driver can open it. */
const unusableComponent = withoutEffect(freeFormComponent, (_, { sink_type, source_type }) => {
  const kind = String(sink_type ?? source_type);
  return `No member is one that ${kind} knows: the component is stored, and nothing can be opened with it.`;
});

/**
 * Returns the schema that warnings about a component follow: that of its kind, or one that warns of the whole component
 * if it is free-form. Returns `undefined` for a kind that the registry does not have.
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
  const names = namesIn(component);
  return names.length > 0 && names.every((name) => !isOf(known, name) || isKept(shape, stored, name));
}

const isOf = (known: string[], name: string) =>
  known.includes(name) || nearestName(name, known) !== undefined;

const isKept = (shape: z.ZodRawShape, stored: Component, name: string) =>
  !Object.hasOwn(shape, name) && Object.hasOwn(stored, name);

function parsed(shape: z.ZodObject, component: Component, loc: Loc, strangers: Issue[]): Component {
  try {
    const held = parseInput(shape, component, loc);
    if (strangers.length === 0) return held;
  } catch (error) {
    if (error instanceof Invalid) throw new Invalid([...strangers, ...error.issues]);
    throw error;
  }
  throw new Invalid(strangers);
}

/** Returns the members that are not null. */
function namesIn(component: Component): string[] {
  return Object.keys(withoutNulls(component)).filter((name) => name !== 'class_name');
}

function withoutNulls(component: Component): Component {
  return Object.fromEntries(Object.entries(component).filter(([, member]) => member !== null));
}

/** Schemas of settings. Every optional field accepts null as absent. */
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

/** Text that is a valid regular expression. */
export function regexText() {
  return z.string().superRefine((pattern, context) => {
    try {
      compilePattern(pattern);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
}
