import type { Issue } from '#src/lib/errors.ts';
import { largest } from '#src/lib/extremes.ts';
import { dereference, entries, isRecord, type JsonSchema } from './schema.ts';
import { COMBINERS, DEFINITIONS, listSubschemas } from './subschemas.ts';

// Limits of a JSON Schema. A short schema can stand for a huge one: 25 definitions that each refer twice to
// the next one describe 33 million schemas. The expanded size is checked before any other code reads the
// schema, because that code takes time in proportion to it.

export const SCHEMA_BUDGET = {
  /**
   * Maximum number of schemas in a JSON Schema after references are expanded, plus the properties that are
   * copied into alternatives.
   */
  nodes: 20_000,
  /** Maximum number of nested schemas on a path from the root, with references followed. */
  depth: 100,
  /** Maximum nesting of objects and lists in the JSON of a schema. */
  levels: 400,
  /** Maximum number of distinct regular expressions in `pattern` and `patternProperties`. */
  patterns: 200,
  /**
   * Maximum number of instructions of all compiled regular expressions together. A typical expression has 20
   * to 60 instructions.
   */
  patternInstructions: 100_000,
  /**
   * Maximum number of entries in `patternProperties`, with references followed. Each entry is compared with
   * every property name of a value.
   */
  namePatterns: 200,
} as const;

/** Returns why a schema is too large, or `undefined` if it is within the budget. Runs in linear time. */
export function findBudgetIssue(root: JsonSchema): Issue | undefined {
  const expansion = new Expansion(root);
  const sizes = [expansion.measure(root), ...expansion.measureDefinitions()];
  const exceeds = (measure: 'nodes' | 'depth' | 'namePatterns') =>
    sizes.some((size) => size[measure] > SCHEMA_BUDGET[measure]);
  if (expansion.isTooDeep || exceeds('depth')) {
    const msg = `has more than ${SCHEMA_BUDGET.depth} nested schemas once its references are followed`;
    return { loc: [], msg, type: 'schema_too_deep' };
  }
  if (exceeds('nodes')) {
    const msg = `has more than ${SCHEMA_BUDGET.nodes} schemas once its references are followed`;
    return { loc: [], msg, type: 'schema_too_large' };
  }
  if (exceeds('namePatterns')) {
    const msg = `has more than ${SCHEMA_BUDGET.namePatterns} patternProperties once its references are followed`;
    return { loc: [], msg, type: 'too_many_patterns' };
  }
  if (expansion.patterns.size > SCHEMA_BUDGET.patterns) {
    const msg = `has ${expansion.patterns.size} different patterns, but at most ${SCHEMA_BUDGET.patterns} are allowed`;
    return { loc: [], msg, type: 'too_many_patterns' };
  }
  return undefined;
}

/**
 * Number of keywords or enum values that count as one more schema, because they are copied wherever the
 * schema is used.
 */
const KEYWORDS_PER_NODE = 10;

const countOwnNodes = (schema: JsonSchema) =>
  1 +
  Math.floor(Object.keys(schema).length / KEYWORDS_PER_NODE) +
  Math.floor((Array.isArray(schema.enum) ? schema.enum.length : 0) / KEYWORDS_PER_NODE);

/** Size of a schema once its references are expanded. */
interface Size {
  /** Number of schemas, plus the properties that are copied into each of several alternatives. */
  nodes: number;
  /** Number of nested schemas on the longest path. */
  depth: number;
  /** Number of properties of the described object, including those from references and `allOf`. */
  members: number;
  /** Number of alternatives (`anyOf` or `oneOf`) for the value, without null. */
  options: number;
  namePatterns: number;
}

/** Size that counts where a schema contains itself. Schemas with such a cycle are rejected elsewhere. */
const CYCLE_SIZE: Size = { nodes: 1, depth: 1, members: 0, options: 1, namePatterns: 0 };

class Expansion {
  isTooDeep = false;
  readonly patterns = new Set<string>();
  private readonly root: JsonSchema;
  private readonly known = new Map<JsonSchema, Size>();
  private nesting = 0;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  measureDefinitions(): Size[] {
    const defined = DEFINITIONS.flatMap((table) => entries(this.root[table]));
    return defined.flatMap(([, schema]) => (isRecord(schema) ? [this.measure(schema)] : []));
  }

  /**
   * Measures the expanded size of a schema. Each schema is measured only once, even if it is referenced
   * often.
   */
  measure(schema: JsonSchema): Size {
    const known = this.known.get(schema);
    if (known) return known;
    if (this.nesting >= SCHEMA_BUDGET.depth) {
      this.isTooDeep = true;
      return CYCLE_SIZE;
    }
    this.known.set(schema, CYCLE_SIZE);
    this.nesting += 1;
    const size = this.add(schema);
    this.nesting -= 1;
    this.known.set(schema, size);
    return size;
  }

  private add(schema: JsonSchema): Size {
    const target = typeof schema.$ref === 'string' ? dereference(this.root, schema.$ref) : undefined;
    const referred = target && this.measure(target);
    const inner = [
      ...listSubschemas(schema).map((each) => this.measure(each)),
      ...(referred ? [referred] : []),
    ];
    const total = (count: (size: Size) => number, sizes = inner) =>
      sizes.reduce((sum, size) => sum + count(size), 0);
    const [anyOf, oneOf, allOf] = COMBINERS.map((combiner) => this.measureParts(schema[combiner]));
    const alternatives = [...anyOf!, ...oneOf!];
    const own =
      entries(schema.properties).length + total(({ members }) => members, allOf!) + (referred?.members ?? 0);
    const types = [schema.type].flat().filter((type) => type !== 'null');
    const options = Math.max(
      types.length,
      total(({ options }) => options, alternatives),
      referred?.options ?? 0,
    );
    // Each alternative is copied together with the properties of the schema that contains the alternative.
    const copies = options > 1 ? options * (own + 1) : allOf!.length > 0 ? own : 0;
    if (typeof schema.pattern === 'string') this.patterns.add(schema.pattern);
    const names = entries(schema.patternProperties).map(([pattern]) => pattern);
    for (const pattern of names) this.patterns.add(pattern);
    return {
      nodes: countOwnNodes(schema) + copies + total(({ nodes }) => nodes),
      depth:
        1 +
        largest(
          inner.map(({ depth }) => depth),
          0,
        ),
      members:
        own +
        largest(
          alternatives.map(({ members }) => members),
          0,
        ),
      options,
      namePatterns: names.length + total(({ namePatterns }) => namePatterns),
    };
  }

  private measureParts(list: unknown): Size[] {
    return Array.isArray(list) ? list.filter(isRecord).map((part) => this.measure(part)) : [];
  }
}
