import { z } from 'zod';

type Wrapper = z.ZodType & {
  _zod: { def: { innerType?: z.ZodType; in?: z.ZodType; getter?: () => z.ZodType } };
};

/**
 * Every schema that may describe `value` where `schema` stands: wrappers opened, unions spread, a
 * discriminated union narrowed by its discriminator. A wrapper that carries a format of its own is kept.
 */
export function candidates(schema: z.ZodType, value: unknown): z.ZodType[] {
  const own = schema.meta()?.format === undefined ? [] : [schema];
  if (schema instanceof z.ZodUnion) {
    return [...own, ...optionsFor(schema, value).flatMap((option) => candidates(option, value))];
  }
  if (schema instanceof z.ZodIntersection) {
    const { left, right } = schema._zod.def;
    return [left, right].flatMap((side) => candidates(side as z.ZodType, value));
  }
  const { innerType, in: input, getter } = (schema as Wrapper)._zod.def;
  const inner = innerType ?? (schema instanceof z.ZodPipe ? input : undefined) ?? getter?.();
  return inner ? [...own, ...candidates(inner, value)] : [schema];
}

function optionsFor(union: z.ZodUnion, value: unknown): z.ZodType[] {
  const options = union.options as z.ZodType[];
  if (!(union instanceof z.ZodDiscriminatedUnion) || !isRecord(value)) return options;
  const name = union._zod.def.discriminator;
  const tag = value[name] as z.core.util.Primitive;
  const matching = options.filter((option) => option._zod.propValues?.[name]?.has(tag));
  return matching.length > 0 ? matching : options;
}

/** The schemas of one member of a value; none when no schema speaks of that member. */
export function memberSchemas(schemas: z.ZodType[], key: PropertyKey, member: unknown): z.ZodType[] {
  return schemas.flatMap((schema) => {
    const found = memberSchema(schema, key);
    return found ? candidates(found, member) : [];
  });
}

function memberSchema(schema: z.ZodType, key: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) {
    const named = Object.hasOwn(schema.shape, key) ? schema.shape[key as string] : undefined;
    return (named ?? schema._zod.def.catchall) as z.ZodType | undefined;
  }
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return schema instanceof z.ZodUnknown || schema instanceof z.ZodAny ? schema : undefined;
}

/** The schemas of the value at `path` inside `root`, and that value. */
export function locate(
  schema: z.ZodType,
  root: unknown,
  path: readonly PropertyKey[],
): { schemas: z.ZodType[]; value: unknown } {
  let schemas = candidates(schema, root);
  let value = root;
  for (const key of path) {
    value = memberOf(value, key);
    schemas = memberSchemas(schemas, key, value);
  }
  return { schemas, value };
}

export function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
