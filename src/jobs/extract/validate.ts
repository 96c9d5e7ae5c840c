import { validate as check, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { withPatterns } from './formats.ts';
import { namesIn, patternsOf, withoutPatterns } from './own-patterns.ts';
import { dereference, isRecord, type JsonSchema } from './schema.ts';

/** What parts of a schema need to be checked by themselves. */
interface Targets {
  /** What its references lead to, by the reference. */
  schemas: Record<string, JsonSchema>;
  /** The patterns in it that texts are held to. */
  patterns: string[];
  hasPatterns: boolean;
  hasNamePatterns: boolean;
  /** The schemas without their patterns, where that does not depend on the value. */
  reworded?: Record<string, Schema>;
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
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const inner of node) walk(inner);
    if (!isRecord(node)) return;
    const target = typeof node.$ref === 'string' && dereference(root, node.$ref);
    if (target) schemas[node.$ref as string] = target;
    for (const inner of Object.values(node)) walk(inner);
  };
  walk(root);
  // A reference may lead to where no schema stands, such as into a keyword that means nothing.
  const found = [root, ...Object.values(schemas)].map(patternsOf);
  const patterns = [...new Set(found.flatMap(({ texts }) => [...texts]))];
  const hasNamePatterns = found.some(({ names }) => names.size > 0);
  return { schemas, patterns, hasNamePatterns, hasPatterns: hasNamePatterns || patterns.length > 0 };
}

/** Whether a value fits a schema that stands in the one that the targets are of. */
export function fits(targets: Targets, schema: JsonSchema, value: unknown): boolean {
  return checked(targets, schema, value, true).valid;
}

/** The places where a value breaks a schema of draft 2020-12; none when it fits. */
export function validate(schema: JsonSchema, value: unknown): OutputUnit[] {
  return checked(targetsOf(schema), schema, value, false).errors;
}

function checked(targets: Targets, schema: JsonSchema, value: unknown, short: boolean) {
  const { schemas, patterns, hasPatterns, hasNamePatterns } = targets;
  if (!hasPatterns)
    return check(value, schema as Schema, '2020-12', schemas as Record<string, Schema>, short);
  const names = hasNamePatterns ? [...namesIn(value)] : [];
  const table = (!hasNamePatterns && targets.reworded) || rewordAll(schemas, names);
  targets.reworded = table;
  const reworded = withoutPatterns(schema, names) as Schema;
  return withPatterns(patterns, () => check(value, reworded, '2020-12', table, short));
}

function rewordAll(schemas: Record<string, JsonSchema>, names: readonly string[]): Record<string, Schema> {
  const table: Record<string, Schema> = Object.create(null);
  for (const [reference, target] of Object.entries(schemas)) {
    table[reference] = withoutPatterns(target, names) as Schema;
  }
  return table;
}
