import { z } from 'zod';

/** Marks a text as secret: `format: password` in OpenAPI, encrypted at rest, masked in responses. */
export function secret() {
  return z.string().meta({ format: 'password' });
}

/** Whether a schema was made by `secret()`, through any optional or nullable wrapper. */
export function isSecret(schema: z.ZodType): boolean {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? schema.unwrap() : undefined;
  return inner ? isSecret(inner as z.ZodType) : schema.meta()?.format === 'password';
}

const describing = new WeakSet<z.ZodType>();

/** Marks data that describes other data, as a JSON Schema does: a field `signature` in it is no signature. */
export function describesFields<Schema extends z.ZodType>(schema: Schema): Schema {
  describing.add(schema);
  return schema;
}

export const isDescribing = (schema: z.ZodType): boolean => describing.has(schema);
