import { Invalid, type Issue } from '#src/lib/errors.ts';
import { isDeeperThan } from '#src/lib/json/json-extent.ts';
import { exceedsBudget, SCHEMA_BUDGET } from './budget.ts';
import { issue, KeywordRules, MOST_ISSUES, type Path, SCHEMA_LIMITS, show } from './keywords.ts';
import { dereference, entries, isRecord, type JsonSchema } from './schema.ts';
import { COMBINERS, CONDITIONS } from './subschemas.ts';

export { SCHEMA_LIMITS };

const SAME_PLACE = [...CONDITIONS, 'contains', 'propertyNames', 'unevaluatedItems'];

// The rules of a data_schema. Levels count objects: the root is 1, an object inside it (also as the items of
// an array) is 2. References are followed while counting, so an object that contains itself fails as too deep.

export type SchemaCheck = { ok: true; schema: JsonSchema } | { ok: false; issues: Issue[] };

/** The schema ready for extract jobs, or every rule it breaks; `loc` starts at the schema itself. */
export function checkSchema(input: unknown): SchemaCheck {
  if (!isRecord(input)) {
    return { ok: false, issues: [issue([], 'must be a JSON object', 'dict_type', input)] };
  }
  const root = input as JsonSchema;
  // Before anything that walks the schema by recursion, as JSON.stringify does too.
  if (isDeeperThan(root, SCHEMA_BUDGET.levels)) {
    const message = `has more than ${SCHEMA_BUDGET.levels} levels of JSON inside each other`;
    return { ok: false, issues: [issue([], message, 'schema_too_deep')] };
  }
  const raw = JSON.stringify(root).length;
  if (raw > SCHEMA_LIMITS.rawCharacters) {
    const message = `has ${raw} characters, at most ${SCHEMA_LIMITS.rawCharacters} are allowed`;
    return { ok: false, issues: [issue([], message, 'schema_too_long')] };
  }
  const excess = exceedsBudget(root);
  if (excess) return { ok: false, issues: [excess] };
  const walk = new SchemaWalk(root);
  walk.rootRules();
  walk.visit(root, [], 1);
  for (const table of ['$defs', 'definitions'] as const) {
    for (const [name, definition] of entries(root[table])) {
      walk.strings += name.length;
      walk.definition(definition, [table, name]);
    }
  }
  walk.totals();
  return walk.issues.length > 0
    ? { ok: false, issues: walk.issues }
    : { ok: true, schema: normalise(root) as JsonSchema };
}

/** As checkSchema, throwing Invalid with the place inside the request body. */
export function validateSchema(input: unknown, at: Path = ['data_schema']): JsonSchema {
  const check = checkSchema(input);
  if (check.ok) return check.schema;
  throw new Invalid(check.issues.map((found) => ({ ...found, loc: ['body', ...at, ...found.loc] })));
}

/** One line per broken rule, path first, for the message of a refused job. */
export function schemaMessage(issues: Issue[]): string {
  return issues.map((found) => `${found.loc.join('.') || 'data_schema'} ${found.msg}`).join('; ');
}

class SchemaWalk extends KeywordRules {
  private readonly root: JsonSchema;
  private readonly counted = new Set<JsonSchema>();
  private readonly cyclic = new Set<unknown>();
  private readonly deepest = new Map<JsonSchema, number>();
  /** The schemas that are being visited, outermost first, each with its level. */
  private readonly above = new Map<JsonSchema, number>();

  constructor(root: JsonSchema) {
    super();
    this.root = root;
  }

  rootRules(): void {
    if (this.root.type !== 'object') {
      this.add(
        ['type'],
        `must be "object" at the root, not ${show(this.root.type)}`,
        'root_type',
        this.root.type,
      );
    }
    if (!isRecord(this.root.properties) || Object.keys(this.root.properties).length === 0) {
      this.add(['properties'], 'must be an object with at least one property', 'root_properties');
    }
  }

  /** `level` is the level an object at this place has. */
  visit(schema: unknown, path: Path, level: number): void {
    if (!isRecord(schema)) {
      this.add(path, 'must be a schema object', 'schema_type', schema);
      return;
    }
    const node = schema as JsonSchema;
    if (this.above.get(node) === level) {
      this.cycle(node, path);
      return;
    }
    // A definition is visited again only when it now sits deeper, so shared definitions stay cheap.
    if ((this.deepest.get(node) ?? 0) >= level || this.issues.length >= MOST_ISSUES) return;
    this.deepest.set(node, level);
    if (!this.counted.has(node)) {
      this.counted.add(node);
      this.keywords(node, path);
    }
    if (describesObject(node) && level > SCHEMA_LIMITS.levels) {
      this.add(
        path,
        `is nested ${level} levels deep, at most ${SCHEMA_LIMITS.levels} are allowed`,
        'schema_too_deep',
      );
      return;
    }
    const outer = this.above.get(node);
    this.above.set(node, level);
    this.inside(node, path, level);
    if (outer === undefined) this.above.delete(node);
    else this.above.set(node, outer);
  }

  private inside(node: JsonSchema, path: Path, level: number): void {
    this.reference(node, path, level);
    for (const [name, property] of entries(node.properties)) {
      this.visit(property, [...path, 'properties', name], level + 1);
    }
    for (const [pattern, property] of entries(node.patternProperties)) {
      this.pattern(pattern, [...path, 'patternProperties', pattern]);
      this.sometimes(property, [...path, 'patternProperties', pattern], level + 1);
    }
    if (isRecord(node.items)) this.visit(node.items, [...path, 'items'], level);
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      this.sometimes(node[keyword], [...path, keyword], level + 1);
    }
    for (const keyword of SAME_PLACE) this.sometimes(node[keyword], [...path, keyword], level);
    for (const [name, schema] of entries(node.dependentSchemas)) {
      this.sometimes(schema, [...path, 'dependentSchemas', name], level);
    }
    for (const combiner of [...COMBINERS, 'prefixItems']) {
      const options = node[combiner];
      if (!Array.isArray(options)) continue;
      for (const [index, option] of options.entries()) this.visit(option, [...path, combiner, index], level);
    }
  }

  /** Where a schema may also be absent, true or false. */
  private sometimes(schema: unknown, path: Path, level: number): void {
    if (schema !== undefined && typeof schema !== 'boolean') this.visit(schema, path, level);
  }

  definition(schema: unknown, path: Path): void {
    if (!this.deepest.has(schema as JsonSchema)) this.visit(schema, path, 1);
  }

  totals(): void {
    if (this.properties > SCHEMA_LIMITS.properties) {
      const message = `has ${this.properties} properties, at most ${SCHEMA_LIMITS.properties} are allowed`;
      this.add([], message, 'too_many_properties');
    }
    if (this.strings > SCHEMA_LIMITS.stringCharacters) {
      const message = `has ${this.strings} characters in names, enums and texts, at most ${SCHEMA_LIMITS.stringCharacters} are allowed`;
      this.add([], message, 'schema_strings_too_long');
    }
  }

  private reference(node: JsonSchema, path: Path, level: number): void {
    if (node.$ref === undefined) return;
    const at = [...path, '$ref'];
    if (typeof node.$ref !== 'string' || !node.$ref.startsWith('#')) {
      this.add(at, 'must be a reference inside this schema, like "#/$defs/name"', 'ref_not_local', node.$ref);
      return;
    }
    const target = dereference(this.root, node.$ref);
    if (!target) this.add(at, `points to ${show(node.$ref)}, which is not there`, 'ref_not_found', node.$ref);
    else this.visit(target, path, level);
  }

  /** Refuses a schema that contains itself without a property in between: no value is ever described. */
  private cycle(node: JsonSchema, path: Path): void {
    if (this.cyclic.has(node)) return;
    this.cyclic.add(node);
    this.add([...path, '$ref'], 'leads back to itself', 'ref_cycle');
  }
}

const MAPS_OF_OBJECTS = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'];

function describesObject(node: JsonSchema): boolean {
  return [node.type].flat().includes('object') || MAPS_OF_OBJECTS.some((keyword) => isRecord(node[keyword]));
}

/** Types that the rest of a schema implies are written out and names are listed once; meaning stays. */
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
