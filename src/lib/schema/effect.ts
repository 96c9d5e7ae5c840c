import { z } from 'zod';
import { isRecord, listCandidates } from './zod-walk.ts';

/**
 * Warning about a field of a request body that was accepted but has no effect. `field` is its path, joined by
 * dots.
 */
export interface Warning {
  field: string;
  reason: string;
}

/** Context besides the body that determines whether a field has an effect. */
export interface EffectContext {
  projectId?: string | undefined;
  /** Whether the installation has a learned sparse model. */
  hasSparseModel?: boolean;
}

/**
 * Reason why a field has no effect. A function decides by the value, and returns `undefined` if the value has
 * an effect. `within` is the object that contains the value.
 */
type Reason =
  | string
  | ((value: unknown, within: Record<string, unknown>, context: EffectContext) => string | undefined);

const reasons = new WeakMap<z.ZodType, Reason>();

/**
 * Marks a field that is validated, stored and returned but has no effect. Clients that send it receive
 * `reason` as a warning. A function as `reason` decides by the value.
 */
export function withoutEffect<Schema extends z.ZodType>(schema: Schema, reason: Reason): Schema {
  reasons.set(schema, reason);
  return schema;
}

const hints = new WeakMap<z.ZodType, Reason>();

/**
 * Marks a field that has an effect but ignores some of its possible values. `reason` names the ignored part, and returns `undefined` for a value that is used completely.
 */
export function withHint<Schema extends z.ZodType>(schema: Schema, reason: Reason): Schema {
  hints.set(schema, reason);
  return schema;
}

/**
 * Returns whether a field was marked by `withoutEffect`, so that some or all of its values have no effect.
 */
export const isWithoutEffect = (schema: z.ZodType): boolean => reasons.has(schema);

type Selected = (value: Record<string, unknown>) => z.ZodType | undefined;

const selected = new WeakMap<z.ZodType, Record<string, Selected>>();

/**
 * Sets a function that chooses the schema of a field, depending on the object that contains the field. The
 * field's own schema accepts any value.
 */
export function withSelected<Schema extends z.ZodObject>(
  schema: Schema,
  members: Partial<Record<keyof z.output<Schema> & string, Selected>>,
): Schema {
  selected.set(schema, members as Record<string, Selected>);
  return schema;
}

function resolveReason(
  schema: z.ZodType,
  value: unknown,
  within: Record<string, unknown>,
  context: EffectContext,
): string | undefined {
  const reason = reasons.get(schema) ?? hints.get(schema);
  return typeof reason === 'function' ? reason(value, within, context) : reason;
}

/** Maximum number of warnings in a response. Further warnings are only counted. */
const MAX_WARNINGS = 50;
const UNKNOWN = 'This operation has no such field.';

/**
 * Returns warnings about fields of `value` that have no effect: fields that the schema marks, and unknown
 * fields. Null, false and empty values request nothing and cause no warning.
 */
export function collectWarnings(schema: z.ZodType, value: unknown, context: EffectContext = {}): Warning[] {
  const found: Warning[] = [];
  collect(listCandidates(schema, value), value, [], { found, context });
  if (found.length <= MAX_WARNINGS) return found;
  const rest = found.length - MAX_WARNINGS;
  return [...found.slice(0, MAX_WARNINGS), { field: '', reason: `${rest} more fields have no effect.` }];
}

function collect(
  schemas: z.ZodType[],
  value: unknown,
  path: string[],
  into: { found: Warning[]; context: EffectContext },
): void {
  const { found, context } = into;
  if (Array.isArray(value)) {
    const elements = schemas.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.element] : []));
    for (const [index, member] of value.entries()) {
      const inner = elements.flatMap((element) => listCandidates(element as z.ZodType, member));
      collect(inner, member, [...path, String(index)], into);
    }
    return;
  }
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject);
  if (!isRecord(value) || objects.length === 0) return;
  // If the schema allows a record or an untyped value here, no field counts as unknown.
  const isClosed = objects.length === schemas.length && objects.every(({ _zod }) => !_zod.def.catchall);
  for (const [name, member] of Object.entries(value)) {
    if (requestsNothing(member)) continue;
    const at = [...path, name];
    const fields = objects.flatMap((schema) => {
      if (!Object.hasOwn(schema.shape, name)) return [];
      return [selected.get(schema)?.[name]?.(value) ?? (schema.shape[name] as z.ZodType)];
    });
    const reason = fields
      .map((field) => resolveReason(field, member, value, context))
      .find((each) => each !== undefined);
    if (reason !== undefined) found.push({ field: at.join('.'), reason });
    else if (fields.length > 0)
      collect(
        fields.flatMap((field) => listCandidates(field, member)),
        member,
        at,
        into,
      );
    else if (isClosed) found.push({ field: at.join('.'), reason: UNKNOWN });
  }
}

function requestsNothing(value: unknown): boolean {
  if (value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value as object).length === 0;
}
