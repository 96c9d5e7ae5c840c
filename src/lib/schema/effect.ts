import { z } from 'zod';
import { candidates, isRecord } from './zod-walk.ts';

/** A member of a body that was accepted without effect. `field` is its path, joined by dots. */
export interface Warning {
  field: string;
  reason: string;
}

/** Context besides the body that determines whether a field has an effect. */
export interface Around {
  /** Project of the request, if it has one. */
  projectId?: string | undefined;
}

/** `within` is the object that contains the value. */
type Reason =
  | string
  | ((value: unknown, within: Record<string, unknown>, around: Around) => string | undefined);

const reasons = new WeakMap<z.ZodType, Reason>();

/**
 * Marks a field that is validated, stored and returned but has no effect; senders receive `reason` as a
 * warning. As a function it decides by value.
 */
export function withoutEffect<Schema extends z.ZodType>(schema: Schema, reason: Reason): Schema {
  reasons.set(schema, reason);
  return schema;
}

const hints = new WeakMap<z.ZodType, Reason>();

/**
 * Marks a field that changes something, but ignores some of the values that it takes. `reason` says which, and returns
 * `undefined` for a value that is used as a whole.
 */
export function withHint<Schema extends z.ZodType>(schema: Schema, reason: Reason): Schema {
  hints.set(schema, reason);
  return schema;
}

/** Returns whether the field has no effect for some values. */
export const isWithoutEffect = (schema: z.ZodType): boolean => reasons.has(schema);

type Selected = (value: Record<string, unknown>) => z.ZodType | undefined;

const selected = new WeakMap<z.ZodType, Record<string, Selected>>();

/** Selects the schema of a member by the object around it. The member's own schema accepts anything. */
export function withSelected<Schema extends z.ZodObject>(
  schema: Schema,
  members: Partial<Record<keyof z.output<Schema> & string, Selected>>,
): Schema {
  selected.set(schema, members as Record<string, Selected>);
  return schema;
}

function reasonOf(
  schema: z.ZodType,
  value: unknown,
  within: Record<string, unknown>,
  around: Around,
): string | undefined {
  const reason = reasons.get(schema) ?? hints.get(schema);
  return typeof reason === 'function' ? reason(value, within, around) : reason;
}

/** Maximum number of warnings in a response; further ones are counted. */
const MOST_WARNINGS = 50;
const UNKNOWN = 'This operation knows no such field.';

/**
 * Returns warnings about members of `value` without effect: those that the schema marks, and unknown ones.
 * Null, false and empty values request nothing and cause no warning.
 */
export function warningsOf(schema: z.ZodType, value: unknown, around: Around = {}): Warning[] {
  const found: Warning[] = [];
  collect(candidates(schema, value), value, [], { found, around });
  if (found.length <= MOST_WARNINGS) return found;
  const rest = found.length - MOST_WARNINGS;
  return [...found.slice(0, MOST_WARNINGS), { field: '', reason: `${rest} more fields change nothing.` }];
}

function collect(
  schemas: z.ZodType[],
  value: unknown,
  path: string[],
  into: { found: Warning[]; around: Around },
): void {
  const { found, around } = into;
  if (Array.isArray(value)) {
    const elements = schemas.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.element] : []));
    for (const [index, member] of value.entries()) {
      const inner = elements.flatMap((element) => candidates(element as z.ZodType, member));
      collect(inner, member, [...path, String(index)], into);
    }
    return;
  }
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject);
  if (!isRecord(value) || objects.length === 0) return;
  // If other members are allowed (in a record, or any value), none is unknown.
  const isClosed = objects.length === schemas.length && objects.every(({ _zod }) => !_zod.def.catchall);
  for (const [name, member] of Object.entries(value)) {
    if (asksForNothing(member)) continue;
    const at = [...path, name];
    const fields = objects.flatMap((schema) => {
      if (!Object.hasOwn(schema.shape, name)) return [];
      return [selected.get(schema)?.[name]?.(value) ?? (schema.shape[name] as z.ZodType)];
    });
    const reason = fields
      .map((field) => reasonOf(field, member, value, around))
      .find((each) => each !== undefined);
    if (reason !== undefined) found.push({ field: at.join('.'), reason });
    else if (fields.length > 0)
      collect(
        fields.flatMap((field) => candidates(field, member)),
        member,
        at,
        into,
      );
    else if (isClosed) found.push({ field: at.join('.'), reason: UNKNOWN });
  }
}

function asksForNothing(value: unknown): boolean {
  if (value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value as object).length === 0;
}
