import { z } from 'zod';
import { Invalid, type Issue } from '#src/lib/errors.ts';
import { hasUrlSecrets, isCredential, looksSecret, namesAddress } from '../secrets/secret-names.ts';
import { isSecret } from './secret-schema.ts';
import { type Described, describeIssue } from './zod-issue-types.ts';
import { locate, memberOf } from './zod-walk.ts';

type Loc = Issue['loc'];

/** Maximum number of issues in one answer: a list of thousands of wrong items has thousands. */
const MOST_ISSUES = 100;
/** Maximum number of fields whose first issue is named in addition, so that a long list hides no other field. */
const MOST_FIELDS = 500;

/**
 * zod's issues as `{loc, msg, type, input?, ctx?}` with pydantic v2's type names. `source` is what was parsed:
 * its value tells an absent member (`missing`) from a wrong one; with its schema, inputs that cannot be
 * secret are repeated and whole numbers are told from fractions.
 */
export function toIssues(
  error: z.core.$ZodError,
  locPrefix: Loc,
  source: { value?: unknown; schema?: z.ZodType } = {},
): Issue[] {
  const flat = selectIssues(error.issues).flatMap((issue) => flatten(issue, [], source.value));
  const issues = selectIssues(flat).map(({ issue, path }) => toIssue(issue, path, locPrefix, source));
  const others = Math.max(error.issues.length, flat.length) - issues.length;
  if (others > 0)
    issues.push({ loc: locPrefix, msg: `and ${others} more problems`, type: 'too_many_issues' });
  return issues;
}

/** Keeps the first issues, and beyond them the first issue of each further field. */
function selectIssues<Found extends { path: PropertyKey[] }>(found: readonly Found[]): Found[] {
  const fields = new Set<string>();
  return found.filter(({ path }, index) => {
    const item = path.findIndex((part) => typeof part === 'number');
    const field = path.slice(0, item < 0 ? path.length : item).join('.');
    const isFirst = !fields.has(field) && fields.size < MOST_FIELDS;
    if (isFirst) fields.add(field);
    return isFirst || index < MOST_ISSUES;
  });
}

/** The parsed value, or `Invalid` with every issue found. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  locPrefix: Loc,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Invalid(toIssues(result.error, locPrefix, { value, schema }));
}

interface FlatIssue {
  issue: z.core.$ZodIssue;
  path: PropertyKey[];
}

function flatten(issue: z.core.$ZodIssue, base: PropertyKey[], root: unknown): FlatIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ issue, path: [...path, key] }));
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return issue.issues.flatMap((inner) => flatten(inner, path, root));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return mostHelpful(issue.errors, path, root) ?? [{ issue, path }];
  }
  return [{ issue, path }];
}

/** The branch that the input came nearest to; none when it has no branch's type at all. */
function mostHelpful(
  branches: readonly z.core.$ZodIssue[][],
  path: PropertyKey[],
  root: unknown,
): FlatIssue[] | undefined {
  const typed = branches.filter((issues) => !issues.some(isRootTypeMismatch));
  const tag = commonTag(typed);
  if (tag) return [{ issue: tag, path: [...path, ...tag.path] }];
  const ranked = typed
    .map((issues) => issues.flatMap((issue) => flatten(issue, path, root)))
    .map((issues) => ({ issues, score: distance(issues, path.length + 1, root) }))
    .toSorted((a, b) => a.score - b.score || a.issues.length - b.issues.length);
  return ranked[0]?.issues;
}

/** What every branch refuses at one member: the tag that would have named the branch, with all its values. */
function commonTag(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssueInvalidValue | undefined {
  if (branches.length < 2) return undefined;
  const tags = branches.map((issues) => issues.find((issue) => issue.code === 'invalid_value'));
  const [first] = tags;
  const names = new Set(tags.map((tag) => (tag?.path.length === 1 ? String(tag.path[0]) : undefined)));
  if (!first || names.size !== 1 || names.has(undefined)) return undefined;
  return { ...first, values: [...new Set(tags.flatMap((tag) => tag!.values))] };
}

/** How many of a branch's own members are absent or have a wrong tag: such a branch was hardly meant. */
function distance(issues: FlatIssue[], depth: number, root: unknown): number {
  return issues.filter(
    ({ issue, path }) =>
      path.length === depth && (issue.code === 'invalid_value' || valueAt(root, path) === undefined),
  ).length;
}

function valueAt(root: unknown, path: PropertyKey[]): unknown {
  return path.reduce(memberOf, root);
}

function isRootTypeMismatch(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && issue.code === 'invalid_type';
}

function toIssue(
  issue: z.core.$ZodIssue,
  path: PropertyKey[],
  locPrefix: Loc,
  source: { value?: unknown; schema?: z.ZodType },
): Issue {
  const { schemas, value } = locate(source.schema ?? z.unknown(), source.value, path);
  const wantsInt = schemas.some((schema) => schema instanceof z.ZodNumber && schema.isInt);
  const described: Described = describeIssue(issue, 'value' in source ? { value } : undefined, wantsInt);
  const loc = [...locPrefix, ...path.map((key) => (typeof key === 'number' ? key : String(key)))];
  const showable =
    source.schema !== undefined &&
    described.type !== 'missing' &&
    !schemas.some(isSecret) &&
    isShowable(path, value);
  return { loc, ...described, ...(showable && { input: value }) };
}

const LONGEST_INPUT = 200;

function isShowable(path: PropertyKey[], value: unknown): boolean {
  if (path.some((key) => looksSecret(String(key)))) return false;
  if (typeof value === 'string') {
    // JSON text in a string may hold anything.
    const opaque = value.length > LONGEST_INPUT || /[{[\n]/.test(value);
    return (
      !opaque &&
      !isCredential(value) &&
      !hasUrlSecrets(
        value,
        path.some((key) => namesAddress(String(key))),
      )
    );
  }
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}
