import { validate as check, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { dereference, isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { DEFINITIONS, LISTS, MAPS, SINGLE } from '#src/json-schema/subschemas.ts';
import { compilePattern, type Pattern } from '#src/lib/text/pattern.ts';
import { runWithPatterns, toPatternFormat } from './formats.ts';
import { countVisits, hasDuplicates, runCounted, StepCounter } from './step-counter.ts';

interface PreparedSchema {
  schemas: Record<string, JsonSchema>;
  patterns: Map<string, Pattern>;
  hasNamePatterns: boolean;
  hasUniqueItems: boolean;
  /** The schemas without regular expressions, as they are passed to the validation library. */
  rewritten: RewrittenSchemas;
  steps: StepCounter;
}

interface RewrittenSchemas {
  /** Property names for which `patternProperties` have been rewritten as ordinary properties. */
  names: Set<string>;
  table: Record<string, Schema> | undefined;
  parts: WeakMap<JsonSchema, Schema>;
}

const KNOWN = new WeakMap<JsonSchema, PreparedSchema>();

export function getPreparedSchema(root: JsonSchema): PreparedSchema {
  const known = KNOWN.get(root) ?? prepareSchema(root);
  KNOWN.set(root, known);
  return known;
}

function prepareSchema(root: JsonSchema): PreparedSchema {
  // Looks up references by their literal text, because the validation library's own table only contains whole
  // schemas.
  const schemas: Record<string, JsonSchema> = Object.create(null);
  let hasUniqueItems = false;
  const waiting = [root];
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    mapSchemas(schema, (node) => {
      if (node.uniqueItems) hasUniqueItems = true;
      const target =
        typeof node.$ref === 'string' && !schemas[node.$ref] ? dereference(root, node.$ref) : undefined;
      if (target) {
        schemas[node.$ref as string] = target;
        waiting.push(target);
      }
      return node;
    });
  }
  // A reference may point to something that is not a schema, such as the value of an unknown keyword.
  const found = [root, ...Object.values(schemas)].map(listPatterns);
  const sources = new Set(found.flatMap(({ texts }) => [...texts]));
  return {
    schemas,
    patterns: new Map([...sources].map((source) => [source, compilePattern(source)])),
    hasNamePatterns: found.some(({ names }) => names.size > 0),
    hasUniqueItems,
    rewritten: { names: new Set(), table: undefined, parts: new WeakMap() },
    steps: new StepCounter(),
  };
}

/**
 * Prepares repeated checks of one value and its parts. Resets the shared step counter, and matches
 * `patternProperties` once with all property names of the value.
 */
export function beginChecks(prepared: PreparedSchema, value: unknown): void {
  prepared.steps.reset();
  if (prepared.hasNamePatterns) addNames(prepared, value);
}

export function fits(prepared: PreparedSchema, schema: JsonSchema, value: unknown): boolean {
  return runCheck(prepared, schema, value, true).valid;
}

/**
 * Validates a value against a JSON schema (draft 2020-12). Returns the errors, or an empty list if the value
 * fits.
 */
export function validate(schema: JsonSchema, value: unknown): OutputUnit[] {
  const prepared = getPreparedSchema(schema);
  beginChecks(prepared, value);
  return runCheck(prepared, schema, value, false).errors;
}

function runCheck(prepared: PreparedSchema, schema: JsonSchema, value: unknown, short: boolean) {
  if (prepared.hasNamePatterns) addNames(prepared, value);
  const isRepeating = prepared.hasUniqueItems && hasDuplicates(value);
  if (isRepeating) prepared.steps.addComparisons(value);
  const { rewritten, steps } = prepared;
  rewritten.table ??= rewriteAll(prepared);
  const part = rewritten.parts.get(schema) ?? rewritePart(prepared, schema);
  rewritten.parts.set(schema, part);
  const { table } = rewritten;
  return runCounted({ steps, hasDuplicates: isRepeating }, () =>
    runWithPatterns(prepared.patterns, steps, () => check(value, part, '2020-12', table, short)),
  );
}

/**
 * Records the property names of a value. If a name is new, discards the rewritten schemas, because they only
 * cover earlier names.
 */
function addNames({ rewritten }: PreparedSchema, value: unknown): void {
  const before = rewritten.names.size;
  collectNames(value, rewritten.names);
  if (rewritten.names.size === before) return;
  rewritten.table = undefined;
  rewritten.parts = new WeakMap();
}

function rewritePart({ rewritten }: PreparedSchema, schema: JsonSchema): Schema {
  return replacePatterns(schema, [...rewritten.names], countVisits) as Schema;
}

function rewriteAll(prepared: PreparedSchema): Record<string, Schema> {
  const table: Record<string, Schema> = Object.create(null);
  for (const [reference, target] of Object.entries(prepared.schemas)) {
    table[reference] = rewritePart(prepared, target);
  }
  return table;
}

// The validation library runs `pattern` and `patternProperties` with an engine that a malicious pattern can
// block forever. The functions below rewrite schemas without these keywords. The rewritten schemas accept the
// same values.

function listPatterns(schema: unknown): { texts: Set<string>; names: Set<string> } {
  const found = { texts: new Set<string>(), names: new Set<string>() };
  mapSchemas(schema, (node) => {
    if (typeof node.pattern === 'string') found.texts.add(node.pattern);
    if (isRecord(node.patternProperties)) {
      for (const pattern of Object.keys(node.patternProperties)) found.names.add(pattern);
    }
    return node;
  });
  return found;
}

/**
 * Rewrites a schema without regular expressions. Each `pattern` becomes a format, and `patternProperties`
 * become ordinary properties for the given names. `names` must include all property names of the checked
 * value. `finish` is applied to each rewritten schema.
 */
function replacePatterns(
  schema: JsonSchema,
  names: readonly string[],
  finish: (node: JsonSchema) => JsonSchema = (node) => node,
): JsonSchema {
  return mapSchemas(schema, (node) =>
    finish(replaceNamePatterns(replaceTextPattern(node, finish), names, finish)),
  ) as JsonSchema;
}

function replaceTextPattern(
  { pattern, ...node }: JsonSchema,
  finish: (node: JsonSchema) => JsonSchema,
): JsonSchema {
  if (pattern === undefined) return node;
  return { ...node, allOf: [...(node.allOf ?? []), finish({ format: toPatternFormat(pattern) })] };
}

function replaceNamePatterns(
  { patternProperties, ...node }: JsonSchema,
  names: readonly string[],
  finish: (node: JsonSchema) => JsonSchema,
): JsonSchema {
  if (!isRecord(patternProperties)) return node;
  const properties = new Map(Object.entries(node.properties ?? {}));
  for (const [source, inner] of Object.entries(patternProperties)) {
    const pattern = compilePattern(source);
    for (const name of names) {
      if (!pattern.test(name)) continue;
      const own = properties.get(name);
      properties.set(
        name,
        (own === undefined ? inner : finish({ allOf: [own, inner] as JsonSchema[] })) as JsonSchema,
      );
    }
  }
  return { ...node, properties: Object.fromEntries(properties) };
}

function collectNames(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) collectNames(item, found);
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      found.add(name);
      collectNames(inner, found);
    }
  }
  return found;
}

/**
 * Applies `change` to a schema and all schemas inside it, from the innermost to the outermost. Data such as
 * enum options stays unchanged.
 */
function mapSchemas(schema: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (!isRecord(schema)) return schema;
  const node: Record<string, unknown> = { ...schema };
  const inner = (value: unknown) => mapSchemas(value, change);
  const inEach = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  for (const keyword of [...MAPS, ...DEFINITIONS]) {
    if (isRecord(node[keyword])) node[keyword] = inEach(node[keyword]);
  }
  for (const keyword of LISTS) if (Array.isArray(node[keyword])) node[keyword] = node[keyword].map(inner);
  for (const keyword of SINGLE) if (isRecord(node[keyword])) node[keyword] = inner(node[keyword]);
  return change(node);
}
