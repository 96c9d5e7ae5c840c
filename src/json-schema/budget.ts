import type { Issue } from '#src/lib/errors.ts';
import { largest } from '#src/lib/extremes.ts';
import { dereference, entries, isRecord, type JsonSchema } from './schema.ts';
import { COMBINERS, DEFINITIONS, subschemas } from './subschemas.ts';

// A short schema can stand for a huge one: twenty-five definitions that each refer twice to the next one describe
// 33 million schemas. Whatever reads a schema (resolve, the extractors, the validator, the prompts) works in proportion
// to the schema that is written out, so the size of that schema is limited, once, before anything else looks at it.

export const SCHEMA_BUDGET = {
  /** Schemas after each reference is replaced by what it refers to, plus the properties copied into alternatives. */
  nodes: 20_000,
  /** Schemas on the longest path from the root, references followed. */
  depth: 100,
  /** Levels of objects and lists in the JSON of a schema. */
  levels: 400,
  /** Distinct regular expressions in `pattern` and `patternProperties`. */
  patterns: 200,
  /** Instructions of these regular expressions together, once compiled. A usual one has 20 to 60. */
  patternInstructions: 100_000,
  /** Members of `patternProperties`, references followed. Each of them is compared with each name in a value. */
  namePatterns: 200,
} as const;

/** Returns why a schema is too large to work with; `undefined` if it is within the budget. Takes linear time. */
export function exceedsBudget(root: JsonSchema): Issue | undefined {
  const expansion = new Expansion(root);
  const sizes = [expansion.measure(root), ...expansion.measureDefinitions()];
  const exceeds = (measure: 'nodes' | 'depth' | 'namePatterns') =>
    sizes.some((size) => size[measure] > SCHEMA_BUDGET[measure]);
  if (expansion.isTooDeep || exceeds('depth')) {
    const msg = `has more than ${SCHEMA_BUDGET.depth} schemas inside each other, with references followed`;
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
    const msg = `has ${expansion.patterns.size} different patterns, at most ${SCHEMA_BUDGET.patterns} are allowed`;
    return { loc: [], msg, type: 'too_many_patterns' };
  }
  return undefined;
}

/** Keywords and enum values of this number weigh as much as one more schema: they are copied wherever the schema is used. */
const PER_NODE = 10;

const ownNodes = (schema: JsonSchema) =>
  1 +
  Math.floor(Object.keys(schema).length / PER_NODE) +
  Math.floor((Array.isArray(schema.enum) ? schema.enum.length : 0) / PER_NODE);

/** What a schema comes to when it is written out without references. */
interface Size {
  /** Schemas, and properties that are copied into each of several alternatives. */
  nodes: number;
  /** Schemas on the longest path. */
  depth: number;
  /** Properties of the object that the schema describes, those of references and of `allOf` included. */
  members: number;
  /** Alternatives, other than null, between which a value may choose. */
  options: number;
  namePatterns: number;
}

/** Where a schema contains itself. Other rules refuse such a schema. */
const AGAIN: Size = { nodes: 1, depth: 1, members: 0, options: 1, namePatterns: 0 };

class Expansion {
  isTooDeep = false;
  readonly patterns = new Set<string>();
  private readonly root: JsonSchema;
  private readonly known = new Map<JsonSchema, Size>();
  private above = 0;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  measureDefinitions(): Size[] {
    const defined = DEFINITIONS.flatMap((table) => entries(this.root[table]));
    return defined.flatMap(([, schema]) => (isRecord(schema) ? [this.measure(schema)] : []));
  }

  /** Each schema is measured once, however often it is referred to. */
  measure(schema: JsonSchema): Size {
    const known = this.known.get(schema);
    if (known) return known;
    if (this.above >= SCHEMA_BUDGET.depth) {
      this.isTooDeep = true;
      return AGAIN;
    }
    this.known.set(schema, AGAIN);
    this.above += 1;
    const size = this.add(schema);
    this.above -= 1;
    this.known.set(schema, size);
    return size;
  }

  private add(schema: JsonSchema): Size {
    const target = typeof schema.$ref === 'string' ? dereference(this.root, schema.$ref) : undefined;
    const referred = target && this.measure(target);
    const inner = [...subschemas(schema).map((each) => this.measure(each)), ...(referred ? [referred] : [])];
    const total = (count: (size: Size) => number, sizes = inner) =>
      sizes.reduce((sum, size) => sum + count(size), 0);
    const [anyOf, oneOf, allOf] = COMBINERS.map((combiner) => this.parts(schema[combiner]));
    const alternatives = [...anyOf!, ...oneOf!];
    const own =
      entries(schema.properties).length + total(({ members }) => members, allOf!) + (referred?.members ?? 0);
    const types = [schema.type].flat().filter((type) => type !== 'null');
    const options = Math.max(
      types.length,
      total(({ options }) => options, alternatives),
      referred?.options ?? 0,
    );
    // Each alternative is copied, with the properties of what stands around it.
    const copies = options > 1 ? options * (own + 1) : allOf!.length > 0 ? own : 0;
    if (typeof schema.pattern === 'string') this.patterns.add(schema.pattern);
    const names = entries(schema.patternProperties).map(([pattern]) => pattern);
    for (const pattern of names) this.patterns.add(pattern);
    return {
      nodes: ownNodes(schema) + copies + total(({ nodes }) => nodes),
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

  private parts(list: unknown): Size[] {
    return Array.isArray(list) ? list.filter(isRecord).map((part) => this.measure(part)) : [];
  }
}
