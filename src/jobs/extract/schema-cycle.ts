import { dereference, isRecord, type JsonSchema } from './schema.ts';

export const COMBINERS = ['anyOf', 'oneOf', 'allOf'] as const;
/** Keywords whose schema, like those of the combiners, is about the same value. */
export const CONDITIONS = ['not', 'if', 'then', 'else'];

/**
 * The schemas that lead back to one of them, by references and without a property or item in between: they never
 * describe a value. None when the schema is sound.
 */
export function cycleFrom(root: JsonSchema, schema: JsonSchema): JsonSchema[] {
  const above: JsonSchema[] = [];
  const done = new Set<unknown>();
  const leadsBack = (current: unknown): boolean => {
    if (!isRecord(current) || done.has(current)) return false;
    if (above.includes(current)) return true;
    above.push(current);
    const { $ref } = current;
    const inner = [
      typeof $ref === 'string' ? dereference(root, $ref) : undefined,
      ...COMBINERS.flatMap((combiner) => current[combiner]),
      ...CONDITIONS.map((keyword) => current[keyword]),
    ];
    if (inner.some(leadsBack)) return true;
    above.pop();
    done.add(current);
    return false;
  };
  return leadsBack(schema) ? above : [];
}
