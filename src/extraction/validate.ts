import { validate as check, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { dereference, type JsonSchema } from '#src/json-schema/schema.ts';
import { compilePattern, type Pattern } from '#src/lib/text/pattern.ts';
import { withPatterns } from './formats.ts';
import { namesIn, patternsOf, reword, withoutPatterns } from './own-patterns.ts';
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
