import { z } from 'zod';
import type { Issue } from '#src/lib/errors.ts';
import { nearestName } from '../text/nearest-name.ts';
import { candidates, isRecord, memberOf, memberSchemas } from './zod-walk.ts';

type Loc = Issue['loc'];

/** An answer names so many of them. */
const MOST = 20;

/**
 * The members of a value, and of objects within it, that the schema of `kind` does not name: an issue each, with the
 * name that was likely meant. Members that are null, or that `stored` has as well, are none.
 */
export function unknownMembers(
  kind: string,
  schema: z.ZodType,
  value: Record<string, unknown>,
  stored: unknown,
  loc: Loc,
): Issue[] {
  const found: Issue[] = [];
  for (const issue of walk(kind, candidates(schema, value), value, stored, loc)) {
    found.push(issue);
    if (found.length === MOST) break;
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
  // Where something else may stand as well, such as a map, every name is one.
  if (!schemas.every((schema) => schema instanceof z.ZodObject)) return;
  const known = schemas.flatMap(({ shape }) => Object.keys(shape));
  for (const [name, member] of Object.entries(value)) {
    if (known.includes(name)) {
      const inner = memberSchemas(schemas, name, member);
      if (isRecord(member)) yield* walk(name, inner, member, memberOf(stored, name), [...loc, name]);
    } else if (member !== null && memberOf(stored, name) === undefined) {
      yield { loc: [...loc, name], msg: messageFor(owner, name, known), type: 'extra_forbidden' };
    }
  }
}

function messageFor(owner: string, name: string, known: string[]): string {
  const meant = nearestName(name, known);
  return meant
    ? `unknown member \`${name}\`; did you mean \`${meant}\`?`
    : `unknown member; ${owner} has ${known.join(', ')}`;
}
