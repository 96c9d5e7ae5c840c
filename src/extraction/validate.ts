import { validate as check, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { dereference, isRecord, type JsonSchema } from '#src/json-schema/schema.ts';
import { DEFINITIONS, LISTS, MAPS, SINGLE } from '#src/json-schema/subschemas.ts';
import { compilePattern, type Pattern } from '#src/lib/text/pattern.ts';
import { patternFormat, withPatterns } from './formats.ts';
import { countVisits, hasDuplicates, Steps, whileCounting } from './steps.ts';

/** What parts of a schema need to be checked by themselves. */
interface Targets {
  /** What its references lead to, by the reference. */
  schemas: Record<string, JsonSchema>;
  /** The patterns in it that texts are held to. */
  patterns: Map<string, Pattern>;
  hasNamePatterns: boolean;
  hasUniqueItems: boolean;
  /** The schemas as the validation library gets them. */
  reworded: Reworded;
  steps: Steps;
}

interface Reworded {
  /** The names of properties that `patternProperties` were compared with. */
  names: Set<string>;
  table: Record<string, Schema> | undefined;
  parts: WeakMap<JsonSchema, Schema>;
}

const KNOWN = new WeakMap<JsonSchema, Targets>();

export function targetsOf(root: JsonSchema): Targets {
  const known = KNOWN.get(root) ?? findTargets(root);
  KNOWN.set(root, known);
  return known;
}

function findTargets(root: JsonSchema): Targets {
  // References are looked up as they are written: the library's own table only knows whole schemas.
  const schemas: Record<string, JsonSchema> = Object.create(null);
  let hasUniqueItems = false;
  const waiting = [root];
  for (let schema = waiting.pop(); schema; schema = waiting.pop()) {
    reword(schema, (node) => {
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
  // A reference may lead to where no schema stands, such as into a keyword that means nothing.
  const found = [root, ...Object.values(schemas)].map(patternsOf);
  const sources = new Set(found.flatMap(({ texts }) => [...texts]));
  return {
    schemas,
    patterns: new Map([...sources].map((source) => [source, compilePattern(source)])),
    hasNamePatterns: found.some(({ names }) => names.size > 0),
    hasUniqueItems,
    reworded: { names: new Set(), table: undefined, parts: new WeakMap() },
    steps: new Steps(),
  };
}

/**
 * Prepares for many checks of one value and its parts. The budget of steps that they share starts anew, and
 * `patternProperties` are compared once with all names that the value has.
 */
export function prepareChecks(targets: Targets, value: unknown): void {
  targets.steps.begin();
  if (targets.hasNamePatterns) learnNames(targets, value);
}

/** Whether a value fits a schema that stands in the one that the targets are of. */
export function fits(targets: Targets, schema: JsonSchema, value: unknown): boolean {
  return checked(targets, schema, value, true).valid;
}

/** The places where a value breaks a schema of draft 2020-12; none when it fits. */
export function validate(schema: JsonSchema, value: unknown): OutputUnit[] {
  const targets = targetsOf(schema);
  prepareChecks(targets, value);
  return checked(targets, schema, value, false).errors;
}

function checked(targets: Targets, schema: JsonSchema, value: unknown, short: boolean) {
  if (targets.hasNamePatterns) learnNames(targets, value);
  const isRepeating = targets.hasUniqueItems && hasDuplicates(value);
  if (isRepeating) targets.steps.addComparisons(value);
  const { reworded, steps } = targets;
  reworded.table ??= rewordAll(targets);
  const part = reworded.parts.get(schema) ?? rewordPart(targets, schema);
  reworded.parts.set(schema, part);
  const { table } = reworded;
  return whileCounting({ steps, hasDuplicates: isRepeating }, () =>
    withPatterns(targets.patterns, steps, () => check(value, part, '2020-12', table, short)),
  );
}

/** A name that no earlier value had makes the schemas that were reworded for earlier values useless. */
function learnNames({ reworded }: Targets, value: unknown): void {
  const before = reworded.names.size;
  namesIn(value, reworded.names);
  if (reworded.names.size === before) return;
  reworded.table = undefined;
  reworded.parts = new WeakMap();
}

function rewordPart({ reworded }: Targets, schema: JsonSchema): Schema {
  return withoutPatterns(schema, [...reworded.names], countVisits) as Schema;
}

function rewordAll(targets: Targets): Record<string, Schema> {
  const table: Record<string, Schema> = Object.create(null);
  for (const [reference, target] of Object.entries(targets.schemas)) {
    table[reference] = rewordPart(targets, target);
  }
  return table;
}

// The validation library compiles `pattern` and `patternProperties` with an engine that one of them can hold for
// ever. Here a schema is given another wording, without either, that holds for the same values.

/** The patterns that a schema holds texts and names of properties to. */
function patternsOf(schema: unknown): { texts: Set<string>; names: Set<string> } {
  const found = { texts: new Set<string>(), names: new Set<string>() };
  reword(schema, (node) => {
    if (typeof node.pattern === 'string') found.texts.add(node.pattern);
    if (isRecord(node.patternProperties)) {
      for (const pattern of Object.keys(node.patternProperties)) found.names.add(pattern);
    }
    return node;
  });
  return found;
}

/**
 * The schema with each `pattern` as a format and each of the `patternProperties` as the properties that it means
 * among `names`: at least those that the value to be checked has anywhere. `finish` is applied to each schema in it.
 */
function withoutPatterns(
  schema: JsonSchema,
  names: readonly string[],
  finish: (node: JsonSchema) => JsonSchema = (node) => node,
): JsonSchema {
  return reword(schema, (node) => finish(withNames(withFormat(node, finish), names, finish))) as JsonSchema;
}

function withFormat({ pattern, ...node }: JsonSchema, finish: (node: JsonSchema) => JsonSchema): JsonSchema {
  if (pattern === undefined) return node;
  return { ...node, allOf: [...(node.allOf ?? []), finish({ format: patternFormat(pattern) })] };
}

function withNames(
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

/** Every name of a property in a value. */
function namesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) namesIn(item, found);
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      found.add(name);
      namesIn(inner, found);
    }
  }
  return found;
}

/** Applies `change` to each schema in a schema, inner ones first; what is data in it stays. */
function reword(schema: unknown, change: (node: JsonSchema) => JsonSchema): unknown {
  if (!isRecord(schema)) return schema;
  const node: Record<string, unknown> = { ...schema };
  const inner = (value: unknown) => reword(value, change);
  const inEach = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  for (const keyword of [...MAPS, ...DEFINITIONS]) {
    if (isRecord(node[keyword])) node[keyword] = inEach(node[keyword]);
  }
  for (const keyword of LISTS) if (Array.isArray(node[keyword])) node[keyword] = node[keyword].map(inner);
  for (const keyword of SINGLE) if (isRecord(node[keyword])) node[keyword] = inner(node[keyword]);
  return change(node);
}
