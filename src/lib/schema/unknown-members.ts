import { z } from 'zod';
import type { Issue } from '#src/lib/errors.ts';
import { findNearestName } from '../text/nearest-name.ts';
import { getMember, isRecord, listCandidates, memberSchemas } from './zod-walk.ts';

type Loc = Issue['loc'];

/** Maximum number of unknown fields reported in one response. */
const MAX_ISSUES = 20;

/**
 * Returns one issue for each field of a value, and of objects within it, that the schema of `kind` does not
 * define. The issue suggests the known name that was probably meant. Fields that are null or that `stored`
 * also has are accepted.
 */
export function listUnknownMembers(
  kind: string,
  schema: z.ZodType,
  value: Record<string, unknown>,
  stored: unknown,
  loc: Loc,
): Issue[] {
  const found: Issue[] = [];
  for (const issue of walk(kind, listCandidates(schema, value), value, stored, loc)) {
    found.push(issue);
    if (found.length === MAX_ISSUES) break;
  }
  return found;
}

function* walk(
  owner: string,
  schemas: z.ZodType[],
  value: Record<string, unknown>,
  stored: unknown,
  loc: Loc,
): Generator<Issue> {
  // If the schema also allows a map or another value without fixed fields, no field name is unknown.
  if (!schemas.every((schema) => schema instanceof z.ZodObject)) return;
  const known = schemas.flatMap(({ shape }) => Object.keys(shape));
  for (const [name, member] of Object.entries(value)) {
    if (known.includes(name)) {
      const inner = memberSchemas(schemas, name, member);
      if (isRecord(member)) yield* walk(name, inner, member, getMember(stored, name), [...loc, name]);
    } else if (member !== null && getMember(stored, name) === undefined) {
      yield { loc: [...loc, name], msg: buildMessage(owner, name, known), type: 'extra_forbidden' };
    }
  }
}

function buildMessage(owner: string, name: string, known: string[]): string {
  const meant = findNearestName(name, known);
  return meant
    ? `unknown field \`${name}\`; did you mean \`${meant}\`?`
    : `unknown field; the fields of ${owner} are ${known.join(', ')}`;
}
