import { z } from 'zod';
import { isSecret } from '#src/lib/schema/secret-schema.ts';
import { isRecord } from '#src/lib/schema/zod-walk.ts';

/** Returns the values of a component's secret fields, so that callers can remove them from error messages. */
export function listSecretValues(settings: z.ZodObject, component: Record<string, unknown>): string[] {
  return Object.entries(settings.shape).flatMap(([name, schema]) => {
    const value = component[name];
    if (typeof value === 'string') return isSecret(schema as z.ZodType) ? [value] : [];
    if (!isRecord(value) || !isMapOfSecrets(schema as z.ZodType)) return [];
    return Object.values(value).filter((each) => typeof each === 'string');
  });
}

function isMapOfSecrets(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return isMapOfSecrets(schema.unwrap() as z.ZodType);
  }
  return schema instanceof z.ZodRecord && isSecret(schema.valueType as z.ZodType);
}
