import { z } from 'zod';

type Wrapper = z.ZodType & {
  _zod: { def: { innerType?: z.ZodType; in?: z.ZodType; getter?: () => z.ZodType } };
};

/**
 * Returns every schema that may describe `value` if `schema` applies to it. Wrappers are opened, unions are
 * split into their options, and a discriminated union is narrowed by its discriminator. A wrapper that has a
 * `format` is returned as well.
 */
export function listCandidates(schema: z.ZodType, value: unknown): z.ZodType[] {
  const own = schema.meta()?.format === undefined ? [] : [schema];
  if (schema instanceof z.ZodUnion) {
    return [...own, ...selectOptions(schema, value).flatMap((option) => listCandidates(option, value))];
  }
  if (schema instanceof z.ZodIntersection) {
    const { left, right } = schema._zod.def;
    return [left, right].flatMap((side) => listCandidates(side as z.ZodType, value));
  }
  const { innerType, in: input, getter } = (schema as Wrapper)._zod.def;
  const inner = innerType ?? (schema instanceof z.ZodPipe ? input : undefined) ?? getter?.();
  return inner ? [...own, ...listCandidates(inner, value)] : [schema];
}

function selectOptions(union: z.ZodUnion, value: unknown): z.ZodType[] {
  const options = union.options as z.ZodType[];
  if (!(union instanceof z.ZodDiscriminatedUnion) || !isRecord(value)) return options;
  const name = union._zod.def.discriminator;
  const tag = value[name] as z.core.util.Primitive;
  const matching = options.filter((option) => option._zod.propValues?.[name]?.has(tag));
  return matching.length > 0 ? matching : options;
}

/** Returns the schemas of one member of a value, or an empty list if no schema describes the member. */
export function memberSchemas(schemas: z.ZodType[], key: PropertyKey, member: unknown): z.ZodType[] {
  return schemas.flatMap((schema) => {
    const found = memberSchema(schema, key);
    return found ? listCandidates(found, member) : [];
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

/** Returns the value at `path` inside `root` and the schemas that describe it. */
export function locate(
  schema: z.ZodType,
  root: unknown,
  path: readonly PropertyKey[],
): { schemas: z.ZodType[]; value: unknown } {
  let schemas = listCandidates(schema, root);
  let value = root;
  for (const key of path) {
    value = getMember(value, key);
    schemas = memberSchemas(schemas, key, value);
  }
  return { schemas, value };
}

export function getMember(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
