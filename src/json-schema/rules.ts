import { Invalid, type Issue } from '#src/lib/errors.ts';
import { isDeeperThan } from '#src/lib/json/json-extent.ts';
import { findBudgetIssue, SCHEMA_BUDGET } from './budget.ts';
import { createIssue, formatValue, KeywordRules, MAX_ISSUES, type Path, SCHEMA_LIMITS } from './keywords.ts';
import { dereference, entries, isRecord, type JsonSchema } from './schema.ts';
import { COMBINERS, CONDITIONS } from './subschemas.ts';

export { SCHEMA_LIMITS };

const SAME_LEVEL_KEYWORDS = [...CONDITIONS, 'contains', 'propertyNames', 'unevaluatedItems'];

// Result of checking the `data_schema` of an extract job. Nesting levels count objects: the root has level 1,
// and an object inside it has level 2, even within an array. References are followed while counting, so an
// object that contains itself is rejected as too deep.

export type SchemaCheck = { ok: true; schema: JsonSchema } | { ok: false; issues: Issue[] };

/**
 * Checks a `data_schema`. Returns the normalised schema for extract jobs, or all violated rules. The `loc` of
 * a violation is relative to the schema.
 */
export function checkSchema(input: unknown): SchemaCheck {
  if (!isRecord(input)) {
    return { ok: false, issues: [createIssue([], 'must be a JSON object', 'dict_type', input)] };
  }
  const root = input as JsonSchema;
  // The nesting is checked before any code walks the schema recursively, which includes JSON.stringify.
  if (isDeeperThan(root, SCHEMA_BUDGET.levels)) {
    const message = `has more than ${SCHEMA_BUDGET.levels} levels of nested JSON`;
    return { ok: false, issues: [createIssue([], message, 'schema_too_deep')] };
  }
  const raw = JSON.stringify(root).length;
  if (raw > SCHEMA_LIMITS.rawCharacters) {
    const message = `has ${raw} characters, but at most ${SCHEMA_LIMITS.rawCharacters} are allowed`;
    return { ok: false, issues: [createIssue([], message, 'schema_too_long')] };
  }
  const excess = findBudgetIssue(root);
  if (excess) return { ok: false, issues: [excess] };
  const walk = new SchemaWalk(root);
  walk.checkRoot();
  walk.visit(root, [], 1);
  for (const table of ['$defs', 'definitions'] as const) {
    for (const [name, definition] of entries(root[table])) {
      walk.strings += name.length;
      walk.visitDefinition(definition, [table, name]);
    }
  }
  walk.checkTotals();
  return walk.issues.length > 0
    ? { ok: false, issues: walk.issues }
    : { ok: true, schema: normalise(root) as JsonSchema };
}

/**
 * Checks a schema like `checkSchema` and returns the normalised schema. Throws Invalid with locations inside
 * the request body if a rule is violated.
 */
export function validateSchema(input: unknown, at: Path = ['data_schema']): JsonSchema {
  const check = checkSchema(input);
  if (check.ok) return check.schema;
  throw new Invalid(check.issues.map((found) => ({ ...found, loc: ['body', ...at, ...found.loc] })));
}

/** Formats violated rules as one line, each with its path first, for the error message of a job. */
export function formatIssues(issues: Issue[]): string {
  return issues.map((found) => `${found.loc.join('.') || 'data_schema'} ${found.msg}`).join('; ');
}

class SchemaWalk extends KeywordRules {
  private readonly root: JsonSchema;
  private readonly counted = new Set<JsonSchema>();
  private readonly cyclic = new Set<unknown>();
  private readonly deepest = new Map<JsonSchema, number>();
  /** Schemas that are currently being visited, outermost first, with their nesting levels. */
  private readonly ancestors = new Map<JsonSchema, number>();

  constructor(root: JsonSchema) {
    super();
    this.root = root;
  }

  checkRoot(): void {
    if (this.root.type !== 'object') {
      this.add(
        ['type'],
        `must be "object" at the root, not ${formatValue(this.root.type)}`,
        'root_type',
        this.root.type,
      );
    }
    if (!isRecord(this.root.properties) || Object.keys(this.root.properties).length === 0) {
      this.add(['properties'], 'must be an object with at least one property', 'root_properties');
    }
  }

  /**
   * Visits a schema and reports violated rules. `level` is the nesting level that an object at this position
   * has.
   */
  visit(schema: unknown, path: Path, level: number): void {
    if (!isRecord(schema)) {
      this.add(path, 'must be a schema object', 'schema_type', schema);
      return;
    }
    const node = schema as JsonSchema;
    if (this.ancestors.get(node) === level) {
      this.reportCycle(node, path);
      return;
    }
    // A definition is visited again only at a deeper nesting level than before, so that shared definitions
    // take little time.
    if ((this.deepest.get(node) ?? 0) >= level || this.issues.length >= MAX_ISSUES) return;
    this.deepest.set(node, level);
    if (!this.counted.has(node)) {
      this.counted.add(node);
      this.checkKeywords(node, path);
    }
    if (describesObject(node) && level > SCHEMA_LIMITS.levels) {
      this.add(
        path,
        `is nested ${level} levels deep, but at most ${SCHEMA_LIMITS.levels} are allowed`,
        'schema_too_deep',
      );
      return;
    }
    const outer = this.ancestors.get(node);
    this.ancestors.set(node, level);
    this.visitChildren(node, path, level);
    if (outer === undefined) this.ancestors.delete(node);
    else this.ancestors.set(node, outer);
  }

  private visitChildren(node: JsonSchema, path: Path, level: number): void {
    this.visitReference(node, path, level);
    for (const [name, property] of entries(node.properties)) {
      this.visit(property, [...path, 'properties', name], level + 1);
    }
    for (const [pattern, property] of entries(node.patternProperties)) {
      this.checkPattern(pattern, [...path, 'patternProperties', pattern]);
      this.visitIfSchema(property, [...path, 'patternProperties', pattern], level + 1);
    }
    if (isRecord(node.items)) this.visit(node.items, [...path, 'items'], level);
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      this.visitIfSchema(node[keyword], [...path, keyword], level + 1);
    }
    for (const keyword of SAME_LEVEL_KEYWORDS) this.visitIfSchema(node[keyword], [...path, keyword], level);
    for (const [name, schema] of entries(node.dependentSchemas)) {
      this.visitIfSchema(schema, [...path, 'dependentSchemas', name], level);
    }
    for (const combiner of [...COMBINERS, 'prefixItems']) {
      const options = node[combiner];
      if (!Array.isArray(options)) continue;
      for (const [index, option] of options.entries()) this.visit(option, [...path, combiner, index], level);
    }
  }

  /** Visits a keyword's value unless it is absent, true or false. */
  private visitIfSchema(schema: unknown, path: Path, level: number): void {
    if (schema !== undefined && typeof schema !== 'boolean') this.visit(schema, path, level);
  }

  visitDefinition(schema: unknown, path: Path): void {
    if (!this.deepest.has(schema as JsonSchema)) this.visit(schema, path, 1);
  }

  checkTotals(): void {
    if (this.properties > SCHEMA_LIMITS.properties) {
      const message = `has ${this.properties} properties, but at most ${SCHEMA_LIMITS.properties} are allowed`;
      this.add([], message, 'too_many_properties');
    }
    if (this.strings > SCHEMA_LIMITS.stringCharacters) {
      const message = `has ${this.strings} characters in names, enums and texts, but at most ${SCHEMA_LIMITS.stringCharacters} are allowed`;
      this.add([], message, 'schema_strings_too_long');
    }
  }

  private visitReference(node: JsonSchema, path: Path, level: number): void {
    if (node.$ref === undefined) return;
    const at = [...path, '$ref'];
    if (typeof node.$ref !== 'string' || !node.$ref.startsWith('#')) {
      this.add(at, 'must be a reference inside this schema, like "#/$defs/name"', 'ref_not_local', node.$ref);
      return;
    }
    const target = dereference(this.root, node.$ref);
    if (!target)
      this.add(at, `points to ${formatValue(node.$ref)}, which does not exist`, 'ref_not_found', node.$ref);
    else this.visit(target, path, level);
  }

  /**
   * Reports a schema that contains itself without a property in between. Such a schema cannot describe a
   * value.
   */
  private reportCycle(node: JsonSchema, path: Path): void {
    if (this.cyclic.has(node)) return;
    this.cyclic.add(node);
    this.add([...path, '$ref'], 'refers back to itself without a property in between', 'ref_cycle');
  }
}

const OBJECT_KEYWORDS = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];

function describesObject(node: JsonSchema): boolean {
  return [node.type].flat().includes('object') || OBJECT_KEYWORDS.some((keyword) => isRecord(node[keyword]));
}

/**
 * Adds types that the rest of a schema implies, and removes duplicate names from `required`. The schema
 * accepts the same values as before.
 */
function normalise(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(normalise);
  if (!isRecord(schema)) return schema;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' || key === '$defs' || key === 'definitions') {
      out[key] = Object.fromEntries(entries(value).map(([name, inner]) => [name, normalise(inner)]));
    } else if (key === 'items' || key === 'additionalProperties' || COMBINERS.includes(key as 'anyOf')) {
      out[key] = normalise(value);
    } else if (key === 'required') out[key] = [...new Set(value as string[])];
    else out[key] = value;
  }
  if (out.type === undefined && out.properties) out.type = 'object';
  else if (out.type === undefined && out.items) out.type = 'array';
  return out;
}
