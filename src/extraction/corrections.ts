import { isRecord, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { validate } from './validate.ts';

/** Corrected values by JSON pointer (RFC 6901) into the result of an extraction. */
export type Corrections = Readonly<Record<string, unknown>>;

export interface CorrectionIssue {
  pointer: string;
  message: string;
}

const MAX_DEPTH = 32;
const UNKNOWN_PLACE = 'does not lead to a value of the schema';

/** Splits a JSON pointer into its parts. Returns `undefined` unless the pointer leads to a member or item. */
export function parsePointer(pointer: string): string[] | undefined {
  if (!pointer.startsWith('/')) return undefined;
  const parts = pointer.slice(1).split('/');
  if (parts.some((part) => /~(?![01])/.test(part))) return undefined;
  return parts.map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/**
 * Returns a copy of a result with corrected values. Pointers that lead nowhere are skipped, because the
 * corrections were checked when they were saved.
 */
export function applyCorrections(result: unknown, corrections: Corrections): unknown {
  const corrected = structuredClone(result);
  for (const pointer of sortPointers(corrections)) {
    const path = parsePointer(pointer);
    if (path) setValue(corrected, path, structuredClone(corrections[pointer]));
  }
  return corrected;
}

/** Sorts pointers so that items that extend a list come in the order of their indexes. */
const sortPointers = (corrections: Corrections) =>
  Object.keys(corrections).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));

const isIndex = (part: string) => /^(0|[1-9]\d{0,8})$/.test(part);

/** Sets the value at a path, and creates missing objects and lists on the way. Returns false if it cannot. */
function setValue(root: unknown, path: readonly string[], value: unknown): boolean {
  let node = root;
  for (const [depth, part] of path.entries()) {
    const isLast = depth === path.length - 1;
    if (Array.isArray(node) && (!isIndex(part) || Number(part) > node.length)) return false;
    if (!Array.isArray(node) && !isRecord(node)) return false;
    let inner = getMember(node, part);
    if (isLast || inner === null || inner === undefined) {
      inner = isLast ? value : isIndex(path[depth + 1]!) ? [] : {};
      // A plain assignment to `__proto__` would change the prototype instead of adding a member.
      Object.defineProperty(node, part, {
        value: inner,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    node = inner;
  }
  return true;
}

const getMember = (node: object, part: string): unknown =>
  Object.hasOwn(node, part) ? (node as Record<string, unknown>)[part] : undefined;

/**
 * Checks corrections of a result against the schema of its job. With `isList`, the result is a list whose
 * items fit the schema. A corrected value may be null where the schema does not allow null, as in results.
 */
export function checkCorrections(
  schema: JsonSchema,
  result: unknown,
  corrections: Corrections,
  isList: boolean,
): CorrectionIssue[] {
  const paths = new Map<string, string[]>();
  const issues: CorrectionIssue[] = [];
  // Each pointer is checked against the result with the earlier corrections, because items that extend a list
  // may follow each other.
  const corrected = structuredClone(result);
  for (const pointer of sortPointers(corrections)) {
    const value = corrections[pointer];
    const message = isTooDeep(value)
      ? `must have at most ${MAX_DEPTH} levels`
      : setChecked(schema, corrected, pointer, value, isList);
    if (message) issues.push({ pointer, message });
    else paths.set(pointer, parsePointer(pointer)!);
  }
  const problems = [...issues, ...findOverlaps(paths)];
  if (problems.length > 0) return problems;
  return isList
    ? [...Map.groupBy(paths, ([, path]) => path[0]!)].flatMap(([index, inItem]) =>
        validateItem(schema, getMember(corrected as object, index), new Map(inItem), `/${index}`),
      )
    : validateItem(schema, corrected, paths, '');
}

/** Sets a corrected value. Returns the reason if the pointer does not lead to a value of the schema. */
function setChecked(
  schema: JsonSchema,
  corrected: unknown,
  pointer: string,
  value: unknown,
  isList: boolean,
): string | undefined {
  const path = parsePointer(pointer);
  if (!path) return 'must be a JSON pointer such as /total';
  const problem = findPathProblem(schema, corrected, path, isList);
  if (problem) return problem;
  return setValue(corrected, path, structuredClone(value)) ? undefined : UNKNOWN_PLACE;
}

function findPathProblem(
  root: JsonSchema,
  result: unknown,
  path: readonly string[],
  isList: boolean,
): string | undefined {
  let options = isList ? [{ type: 'array', items: root } as JsonSchema] : resolve(root, root).options;
  let node = result;
  for (const part of path) {
    const length = Array.isArray(node) ? node.length : 0;
    const isExisting = typeof node === 'object' && node !== null && Object.hasOwn(node, part);
    const inner = options.flatMap((option) => {
      const found = isIndex(part) && Number(part) <= length ? option.items : undefined;
      const own = option.properties && Object.hasOwn(option.properties, part) && option.properties[part];
      const open = isRecord(option.additionalProperties) ? option.additionalProperties : undefined;
      const next = found ?? (own || (Array.isArray(node) ? undefined : open));
      return isRecord(next) ? resolve(root, next).options : [];
    });
    if (inner.length === 0 && !isExisting) return UNKNOWN_PLACE;
    if (Array.isArray(node) && !isIndex(part)) return UNKNOWN_PLACE;
    node = isExisting ? (node as Record<string, unknown>)[part] : undefined;
    options = inner;
  }
  return undefined;
}

function findOverlaps(paths: ReadonlyMap<string, string[]>): CorrectionIssue[] {
  return [...paths.keys()].flatMap((pointer) => {
    const parts = pointer.split('/');
    const outer = parts
      .map((_, end) => parts.slice(0, end).join('/'))
      .find((prefix) => prefix && paths.has(prefix));
    return outer ? [{ pointer, message: `is inside ${outer}, which is corrected as a whole` }] : [];
  });
}

function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= MAX_DEPTH || Object.values(value).some((inner) => isTooDeep(inner, depth + 1));
}

/** Returns the broken rules of the schema at the corrected places. Other places are as they were extracted. */
function validateItem(
  schema: JsonSchema,
  item: unknown,
  paths: ReadonlyMap<string, string[]>,
  prefix: string,
): CorrectionIssue[] {
  const found = new Map<string, string>();
  for (const { instanceLocation, error, keyword } of validate(schema, item)) {
    const place = prefix + decodeURI(instanceLocation.slice(1));
    const pointer = [...paths.keys()].find((each) => place === each || place.startsWith(`${each}/`));
    if (pointer === undefined || readValue(item, place.slice(prefix.length)) === null) continue;
    // The innermost error comes last, and says more than `properties` or `$ref` around it.
    if (found.has(pointer) && (keyword === 'properties' || keyword === '$ref')) continue;
    found.set(pointer, place === pointer ? error : `${place.slice(pointer.length)}: ${error}`);
  }
  return [...found].map(([pointer, message]) => ({ pointer, message }));
}

function readValue(root: unknown, pointer: string): unknown {
  let node = root;
  for (const part of parsePointer(pointer) ?? []) {
    node = typeof node === 'object' && node !== null ? getMember(node, part) : undefined;
  }
  return node;
}
