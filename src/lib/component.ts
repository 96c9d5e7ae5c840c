import { z } from 'zod';
import { Invalid } from '#src/errors.ts';
import { compilePattern } from './pattern.ts';
import { parseInput } from './zod-issues.ts';
import { isRecord } from './zod-walk.ts';

// A component is the settings of one sink, source or embedding model; its kind's name selects its shape.

export type Component = Record<string, unknown>;
export type ComponentRegistry<Kind extends string = string> = Record<Kind, z.ZodObject>;
type Loc = (string | number)[];

/** A component that is stored and returned as it is: no driver can use it. */
export const freeFormComponent = z.record(z.string(), z.unknown());

/** Any object, described in the API description as one of the registry's shapes or a free-form object. */
export function componentInput(registry: ComponentRegistry) {
  const shapes = Object.entries(registry).map(([kind, shape]) => {
    const { $schema, ...described } = z.toJSONSchema(shape, { io: 'input', override: withoutSafeIntegers });
    return { title: kind, ...described };
  });
  // null is for nullable uses; where the field is not, its own type rules it out.
  const freeForm = { title: 'free-form', type: 'object', additionalProperties: true };
  return z.record(z.string(), z.unknown()).meta({ anyOf: [...shapes, freeForm, { type: 'null' }] });
}

function withoutSafeIntegers({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

const COMPONENT_LOC: Loc = ['body', 'component'];

/**
 * The shape that a component is held to: its kind's, when it has any field of it besides `class_name`, or has
 * no other field and the kind requires none; else the free form. null counts as absent.
 */
export function componentSchema(registry: ComponentRegistry, kind: string, component: Component): z.ZodType {
  const shape = registry[kind];
  if (!shape) return freeFormComponent;
  const fields = Object.keys(withoutNulls(component)).filter((name) => name !== 'class_name');
  if (fields.length === 0) return shape.safeParse({}).success ? shape : freeFormComponent;
  return fields.some((name) => Object.hasOwn(shape.shape, name)) ? shape : freeFormComponent;
}

/** Checks a component against its kind and fills defaults. Throws `Invalid`, each issue naming its field. */
export function parseComponent(
  registry: ComponentRegistry,
  kind: string,
  value: unknown,
  loc: Loc = COMPONENT_LOC,
): { component: Component; freeForm: boolean } {
  if (!isRecord(value)) {
    const missing = value === undefined;
    const msg = missing ? 'Field required' : 'Input should be a valid object';
    throw new Invalid([{ loc, msg, type: missing ? 'missing' : 'dict_type' }]);
  }
  const schema = componentSchema(registry, kind, value);
  if (schema === freeFormComponent) return { component: value, freeForm: true };
  return { component: parseInput(schema, withoutNulls(value), loc) as Component, freeForm: false };
}

function withoutNulls(component: Component): Component {
  return Object.fromEntries(Object.entries(component).filter(([, member]) => member !== null));
}

/** The parts that shapes are made of. Every optional field accepts null as absent. */
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

/** A text that compiles as a regular expression here. */
export function regexText() {
  return z.string().superRefine((pattern, context) => {
    try {
      compilePattern(pattern);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
}
