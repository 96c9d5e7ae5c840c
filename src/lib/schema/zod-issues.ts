import { z } from 'zod';
import { Invalid, type Issue } from '#src/lib/errors.ts';
import { hasUrlSecrets, isCredential, looksSecret, namesAddress } from '../secrets/secret-names.ts';
import { isSecret } from './secret-schema.ts';
import { type Described, describeIssue } from './zod-issue-types.ts';
import { getMember, locate } from './zod-walk.ts';

type Loc = Issue['loc'];

/**
 * Maximum number of issues in one response. A list with thousands of wrong items causes thousands of issues.
 */
const MAX_ISSUES = 100;
/**
 * Maximum number of fields whose first issue is listed even after MAX_ISSUES issues, so that a long list
 * hides no other field.
 */
const MAX_FIELDS = 500;

/**
 * Converts zod issues to `{loc, msg, type, input?, ctx?}` with the type names of pydantic v2. `source.value`
 * is the parsed value, which shows whether a field is absent or wrong. If `source.schema` is given, inputs
 * that cannot be secret are repeated, and errors of integer fields say so.
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

/** Returns the first issues of a list and, beyond MAX_ISSUES, the first issue of each further field. */
function selectIssues<Found extends { path: PropertyKey[] }>(found: readonly Found[]): Found[] {
  const fields = new Set<string>();
  return found.filter(({ path }, index) => {
    const item = path.findIndex((part) => typeof part === 'number');
    const field = path.slice(0, item < 0 ? path.length : item).join('.');
    const isFirst = !fields.has(field) && fields.size < MAX_FIELDS;
    if (isFirst) fields.add(field);
    return isFirst || index < MAX_ISSUES;
  });
}

/** Returns the parsed value. Throws `Invalid` with the issues if the value does not match the schema. */
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
    return selectClosestBranch(issue.errors, path, root) ?? [{ issue, path }];
  }
  return [{ issue, path }];
}

/**
 * Returns the issues of the union branch that matches the input best. Returns `undefined` if no branch has
 * the type of the input.
 */
function selectClosestBranch(
  branches: readonly z.core.$ZodIssue[][],
  path: PropertyKey[],
  root: unknown,
): FlatIssue[] | undefined {
  const typed = branches.filter((issues) => !issues.some(isRootTypeMismatch));
  const tag = findCommonTag(typed);
  if (tag) return [{ issue: tag, path: [...path, ...tag.path] }];
  const ranked = typed
    .map((issues) => issues.flatMap((issue) => flatten(issue, path, root)))
    .map((issues) => ({ issues, score: countMismatches(issues, path.length + 1, root) }))
    .toSorted((a, b) => a.score - b.score || a.issues.length - b.issues.length);
  return ranked[0]?.issues;
}

/**
 * Returns the issue of a discriminating field. This is the one field whose value every branch rejects. The
 * issue lists the values that the branches allow. Returns `undefined` if the branches have no such field in
 * common.
 */
function findCommonTag(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssueInvalidValue | undefined {
  if (branches.length < 2) return undefined;
  const tags = branches.map((issues) => issues.find((issue) => issue.code === 'invalid_value'));
  const [first] = tags;
  const names = new Set(tags.map((tag) => (tag?.path.length === 1 ? String(tag.path[0]) : undefined)));
  if (!first || names.size !== 1 || names.has(undefined)) return undefined;
  return { ...first, values: [...new Set(tags.flatMap((tag) => tag!.values))] };
}

/**
 * Counts the direct fields of a union branch that are absent or have a wrong discriminating value. A branch
 * with many such fields was probably not meant.
 */
function countMismatches(issues: FlatIssue[], depth: number, root: unknown): number {
  return issues.filter(
    ({ issue, path }) =>
      path.length === depth && (issue.code === 'invalid_value' || getValueAt(root, path) === undefined),
  ).length;
}

function getValueAt(root: unknown, path: PropertyKey[]): unknown {
  return path.reduce(getMember, root);
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

const MAX_INPUT_LENGTH = 200;

function isShowable(path: PropertyKey[], value: unknown): boolean {
  if (path.some((key) => looksSecret(String(key)))) return false;
  if (typeof value === 'string') {
    // Strings that look like JSON or have several lines are not repeated, because they may contain any
    // secret.
    const opaque = value.length > MAX_INPUT_LENGTH || /[{[\n]/.test(value);
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
