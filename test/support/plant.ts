import { z } from 'zod';

type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  minimum?: number;
  minLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
};

/** Returns a minimal value of a schema with a new secret in every secret field. */
export function plant(schema: z.ZodType, secret: () => string): Record<string, unknown> {
  return fill(z.toJSONSchema(schema, { io: 'input' }) as Schema, secret) as Record<string, unknown>;
}

function fill(schema: Schema, secret: () => string): unknown {
  if (schema.anyOf) return fill(schema.anyOf.find(takesSecret) ?? schema.anyOf[0]!, secret);
  if (schema.format === 'password') return secret();
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.properties) {
    const wanted = Object.entries(schema.properties).filter(
      ([name, member]) => schema.required?.includes(name) || takesSecret(member),
    );
    return Object.fromEntries(wanted.map(([name, member]) => [name, fill(member, secret)]));
  }
  if (schema.type === 'array') return [fill(schema.items!, secret)];
  if (schema.type === 'object') return { 'X-Any': fill(schema.additionalProperties as Schema, secret) };
  if (schema.type === 'boolean') return true;
  return schema.type === 'string' ? 'text' : 8;
}

function takesSecret(schema: Schema): boolean {
  if (schema.format === 'password') return true;
  const inner = [
    ...(schema.anyOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
    ...(schema.items ? [schema.items] : []),
  ];
  return inner.some(takesSecret);
}
