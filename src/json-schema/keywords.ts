import { getErrorMessage, type Issue } from '#src/lib/errors.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { SCHEMA_BUDGET } from './budget.ts';
import { entries, isRecord, type JsonSchema, MAX_LEVELS } from './schema.ts';
import { COMBINERS, CONDITIONS } from './subschemas.ts';

export const SCHEMA_LIMITS = {
  levels: MAX_LEVELS,
  properties: 5_000,
  nameCharacters: 500,
  textCharacters: 10_000,
  stringCharacters: 120_000,
  rawCharacters: 150_000,
} as const;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNTS = ['Length', 'Items', 'Properties', 'Contains'].flatMap((what) => [`min${what}`, `max${what}`]);
const TEXTS = ['title', 'description', 'format', 'pattern'];
const UNSUPPORTED = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$id', '$anchor'] as const;

/** Maximum number of violated rules that are reported for one schema. */
export const MAX_ISSUES = 50;
/** Maximum number of characters that an error message quotes from a name that is too long. */
const SHOWN_NAME_CHARACTERS = 40;

export type Path = (string | number)[];

/**
 * Checks the keywords of single schemas, and adds up the quantities that are limited for a whole JSON Schema.
 */
export class KeywordRules {
  readonly issues: Issue[] = [];
  /** Number of characters in names, enums, titles and descriptions. */
  strings = 0;
  protected properties = 0;
  private instructions = 0;
  private readonly patterns = new Set<string>();

  protected checkKeywords(node: JsonSchema, path: Path): void {
    if (Array.isArray(node.type) && node.type.length === 0) {
      this.add([...path, 'type'], 'must name at least one type', 'type', node.type);
    }
    const types = Array.isArray(node.type) ? node.type : node.type === undefined ? [] : [node.type];
    for (const type of types) {
      if (!TYPES.includes(type))
        this.add([...path, 'type'], `has the unknown type ${formatValue(type)}`, 'type', type);
    }
    if ('default' in node && node.default !== null) {
      this.add(
        [...path, 'default'],
        'is not supported, except with the value null',
        'default_unsupported',
        node.default,
      );
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
      const limit = SCHEMA_LIMITS.nameCharacters;
      if (name.length > limit)
        this.add(
          [...path, 'properties', `${name.slice(0, SHOWN_NAME_CHARACTERS)}…`],
          `has a name of ${name.length} characters, but at most ${limit} are allowed`,
          'property_name_too_long',
        );
    }
    this.checkRequired(node, path);
    if (types.includes('array') && !isRecord(node.items)) {
      this.add([...path, 'items'], 'must be a schema object for a field of type array', 'items_missing');
    }
    this.checkValues(node, path);
    if (typeof node.pattern === 'string') this.checkPattern(node.pattern, [...path, 'pattern']);
    for (const combiner of COMBINERS) {
      if (node[combiner] !== undefined && (!Array.isArray(node[combiner]) || node[combiner].length === 0)) {
        this.add([...path, combiner], 'must be a list with at least one schema', 'list_type');
      }
    }
    for (const keyword of ['title', 'description'] as const) {
      const text = node[keyword];
      if (typeof text !== 'string') continue;
      this.strings += text.length;
      const limit = SCHEMA_LIMITS.textCharacters;
      if (text.length > limit)
        this.add(
          [...path, keyword],
          `has ${text.length} characters, but at most ${limit} are allowed`,
          'string_too_long',
        );
    }
  }

  private checkRequired(node: JsonSchema, path: Path): void {
    if (node.required === undefined) return;
    if (!Array.isArray(node.required)) {
      this.add([...path, 'required'], 'must be a list of property names', 'list_type', node.required);
      return;
    }
    // Inside conditions such as `if`, a schema may require properties that only an outer schema defines, so
    // the names are not checked.
    const isCondition = path.some(
      (part, index) =>
        [...CONDITIONS, 'dependentSchemas'].includes(String(part)) && path[index - 1] !== 'properties',
    );
    if (isCondition) return;
    for (const [index, name] of node.required.entries()) {
      if (typeof name === 'string' && Object.hasOwn(node.properties ?? {}, name)) continue;
      this.add(
        [...path, 'required', index],
        `names ${formatValue(name)}, which is not a property of this schema`,
        'required_unknown',
        name,
      );
    }
  }

  private checkValues(node: JsonSchema, path: Path): void {
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
    must(['multipleOf'], 'greater than 0', (value) => Number(value) > 0);
    must(COUNTS, 'an integer of 0 or more', (value) => Number.isInteger(value) && Number(value) >= 0);
    must(['uniqueItems'], 'true or false', (value) => typeof value === 'boolean');
    must(TEXTS, 'a string', (value) => typeof value === 'string');
    must(['patternProperties', 'dependentSchemas', 'dependentRequired'], 'an object', isRecord);
    must(['prefixItems'], 'a list of schemas', Array.isArray);
  }

  protected checkPattern(pattern: string, at: Path): void {
    if (this.patterns.has(pattern)) return;
    this.patterns.add(pattern);
    const limit = SCHEMA_BUDGET.patternInstructions;
    if (this.instructions > limit) return;
    try {
      this.instructions += compilePattern(pattern).size;
      if (this.instructions > limit)
        this.add(
          at,
          'exceeds the size limit for all patterns together (reduce repetitions such as {1,1000})',
          'pattern',
        );
    } catch (error) {
      this.add(at, getErrorMessage(error), 'pattern', pattern);
    }
  }

  protected add(loc: Path, msg: string, type: string, input?: unknown): void {
    if (this.issues.length < MAX_ISSUES) this.issues.push(createIssue(loc, msg, type, input));
  }
}

export function formatValue(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

export function createIssue(loc: Path, msg: string, type: string, input?: unknown): Issue {
  return input === undefined ? { loc, msg, type } : { loc, msg, type, input };
}
