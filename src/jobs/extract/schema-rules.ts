import { Invalid, type Issue, messageOf } from '#src/errors.ts';
import { compilePattern } from '#src/lib/pattern.ts';
import { dereference, entries, isRecord, type JsonSchema, MAX_LEVELS } from './schema.ts';
import { COMBINERS, CONDITIONS, cycleFrom } from './schema-cycle.ts';
import { normalise } from './schema-normal-form.ts';

// The rules of a data_schema. Levels count objects: the root is 1, an object inside it (also as the items of
// an array) is 2. References are expanded while counting, so a cycle fails as too deep.

export const SCHEMA_LIMITS = {
  levels: MAX_LEVELS,
  properties: 5_000,
  nameCharacters: 500,
  textCharacters: 10_000,
  stringCharacters: 120_000,
  rawCharacters: 150_000,
} as const;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const SAME_PLACE = [...CONDITIONS, 'contains', 'propertyNames', 'unevaluatedItems'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNTS = ['Length', 'Items', 'Properties', 'Contains'].flatMap((what) => [`min${what}`, `max${what}`]);
const TEXTS = ['title', 'description', 'format', 'pattern'];
const UNSUPPORTED = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$id', '$anchor'] as const;

/** Of a name that is too long, so much stands in the error. */
const SHOWN_OF_NAME = 40;

type Path = (string | number)[];

export type SchemaCheck = { ok: true; schema: JsonSchema } | { ok: false; issues: Issue[] };

/** The schema ready for extract jobs, or every rule it breaks; `loc` starts at the schema itself. */
export function checkSchema(input: unknown): SchemaCheck {
  if (!isRecord(input)) {
    return { ok: false, issues: [issue([], 'must be a JSON object', 'dict_type', input)] };
  }
  const root = input as JsonSchema;
  const raw = JSON.stringify(root).length;
  if (raw > SCHEMA_LIMITS.rawCharacters) {
    const message = `has ${raw} characters, at most ${SCHEMA_LIMITS.rawCharacters} are allowed`;
    return { ok: false, issues: [issue([], message, 'schema_too_long')] };
  }
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

class SchemaWalk {
  readonly issues: Issue[] = [];
  strings = 0;
  private properties = 0;
  private readonly root: JsonSchema;
  private readonly counted = new Set<JsonSchema>();
  private readonly cyclic = new Set<unknown>();
  private readonly deepest = new Map<JsonSchema, number>();

  constructor(root: JsonSchema) {
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
    // The same definition is read again only when it now sits deeper: shared references stay cheap.
    if ((this.deepest.get(node) ?? 0) >= level || this.issues.length >= 50) return;
    this.deepest.set(node, level);
    if (!this.counted.has(node)) {
      this.counted.add(node);
      this.keywords(node, path);
    }
    const isObject = node.type === 'object' || (Array.isArray(node.type) && node.type.includes('object'));
    if ((isObject || node.properties) && level > SCHEMA_LIMITS.levels) {
      this.add(
        path,
        `is nested ${level} levels deep, at most ${SCHEMA_LIMITS.levels} are allowed`,
        'schema_too_deep',
      );
      return;
    }
    if (this.cyclic.has(node) || this.isCycle(node, path)) return;
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

  private isCycle(node: JsonSchema, path: Path): boolean {
    const cycle = cycleFrom(this.root, node);
    if (cycle.length === 0) return false;
    // Told of once, where it is first met.
    if (!cycle.some((each) => this.cyclic.has(each)))
      this.add([...path, '$ref'], `reference ${show(node.$ref)} leads back to itself`, 'ref_cycle');
    for (const each of cycle) this.cyclic.add(each);
    return true;
  }

  private keywords(node: JsonSchema, path: Path): void {
    if (Array.isArray(node.type) && node.type.length === 0) {
      this.add([...path, 'type'], 'must name at least one type', 'type', node.type);
    }
    const types = Array.isArray(node.type) ? node.type : node.type === undefined ? [] : [node.type];
    for (const type of types) {
      if (!TYPES.includes(type))
        this.add([...path, 'type'], `has the unknown type ${show(type)}`, 'type', type);
    }
    if ('default' in node && node.default !== null) {
      this.add([...path, 'default'], 'is not supported, except null', 'default_unsupported', node.default);
    }
    for (const keyword of UNSUPPORTED) {
      if (keyword in node && !(keyword === '$id' && path.length === 0)) {
        this.add([...path, keyword], 'is not supported', 'keyword_unsupported');
      }
    }
    if (node.properties !== undefined && !isRecord(node.properties)) {
      this.add([...path, 'properties'], 'must be an object', 'dict_type', node.properties);
    }
    for (const [name] of entries(node.properties)) {
      this.properties++;
      this.strings += name.length;
      const most = SCHEMA_LIMITS.nameCharacters;
      if (name.length > most)
        this.add(
          [...path, 'properties', `${name.slice(0, SHOWN_OF_NAME)}…`],
          `has a name of ${name.length} characters, at most ${most} are allowed`,
          'property_name_too_long',
        );
    }
    this.required(node, path);
    if (types.includes('array') && !isRecord(node.items)) {
      this.add([...path, 'items'], 'must be a schema object for a field of type array', 'items_missing');
    }
    this.values(node, path);
    if (typeof node.pattern === 'string') this.pattern(node.pattern, [...path, 'pattern']);
    for (const combiner of COMBINERS) {
      if (node[combiner] !== undefined && (!Array.isArray(node[combiner]) || node[combiner].length === 0)) {
        this.add([...path, combiner], 'must be a list with at least one schema', 'list_type');
      }
    }
    for (const keyword of ['title', 'description'] as const) {
      const text = node[keyword];
      if (typeof text !== 'string') continue;
      this.strings += text.length;
      const most = SCHEMA_LIMITS.textCharacters;
      if (text.length > most)
        this.add(
          [...path, keyword],
          `has ${text.length} characters, at most ${most} are allowed`,
          'string_too_long',
        );
    }
  }

  private required(node: JsonSchema, path: Path): void {
    if (node.required === undefined) return;
    if (!Array.isArray(node.required)) {
      this.add([...path, 'required'], 'must be a list of property names', 'list_type', node.required);
      return;
    }
    // A condition may ask for what is named around it.
    const isCondition = path.some(
      (part, index) =>
        [...CONDITIONS, 'dependentSchemas'].includes(String(part)) && path[index - 1] !== 'properties',
    );
    if (isCondition) return;
    for (const [index, name] of node.required.entries()) {
      if (typeof name === 'string' && Object.hasOwn(node.properties ?? {}, name)) continue;
      this.add(
        [...path, 'required', index],
        `names ${show(name)}, which is no property`,
        'required_unknown',
        name,
      );
    }
  }

  private values(node: JsonSchema, path: Path): void {
    if (node.enum !== undefined) {
      if (!Array.isArray(node.enum) || node.enum.length === 0) {
        this.add([...path, 'enum'], 'must be a list with at least one value', 'enum', node.enum);
      } else {
        for (const value of node.enum) this.strings += String(value).length;
      }
    }
    if (typeof node.const === 'string') this.strings += node.const.length;
    const must = (keywords: readonly string[], what: string, holds: (value: unknown) => boolean) => {
      for (const keyword of keywords) {
        const value = node[keyword];
        if (value !== undefined && !holds(value))
          this.add([...path, keyword], `must be ${what}`, 'keyword_value', value);
      }
    };
    must(NUMBERS, 'a number', Number.isFinite);
    must(['multipleOf'], 'above 0', (value) => Number(value) > 0);
    must(COUNTS, 'a whole number from 0', (value) => Number.isInteger(value) && Number(value) >= 0);
    must(['uniqueItems'], 'true or false', (value) => typeof value === 'boolean');
    must(TEXTS, 'a text', (value) => typeof value === 'string');
    must(['patternProperties', 'dependentSchemas', 'dependentRequired'], 'an object', isRecord);
    must(['prefixItems'], 'a list of schemas', Array.isArray);
  }

  private pattern(pattern: string, at: Path): void {
    try {
      compilePattern(pattern);
    } catch (error) {
      this.add(at, messageOf(error), 'pattern', pattern);
    }
  }

  private add(loc: Path, msg: string, type: string, input?: unknown): void {
    this.issues.push(issue(loc, msg, type, input));
  }
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function issue(loc: Path, msg: string, type: string, input?: unknown): Issue {
  return input === undefined ? { loc, msg, type } : { loc, msg, type, input };
}
