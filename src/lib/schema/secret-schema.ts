import { z } from 'zod';

/**
 * Returns the schema of a secret text. It has `format: password` in OpenAPI, is encrypted at rest and masked
 * in responses.
 */
export function secret() {
  return z.string().meta({ format: 'password' });
}

/** Returns whether a schema was created by `secret()`, even if it is wrapped as optional or nullable. */
export function isSecret(schema: z.ZodType): boolean {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? schema.unwrap() : undefined;
  return inner ? isSecret(inner as z.ZodType) : schema.meta()?.format === 'password';
}

const describing = new WeakSet<z.ZodType>();

/**
 * Marks the schema of data that describes other data, such as a JSON Schema. A field named `signature` in
 * such data is a description and contains no signature.
 */
export function describesFields<Schema extends z.ZodType>(schema: Schema): Schema {
  describing.add(schema);
  return schema;
}

export const isDescribing = (schema: z.ZodType): boolean => describing.has(schema);
