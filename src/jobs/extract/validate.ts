import { validate as check, type OutputUnit, type Schema } from '@cfworker/json-schema';
import { dereference, isRecord, type JsonSchema } from './schema.ts';

/** What the references of a schema lead to, by the reference: parts of it can then be checked by themselves. */
type Targets = Record<string, Schema>;

const KNOWN = new WeakMap<JsonSchema, Targets>();

export function targetsOf(root: JsonSchema): Targets {
  const known = KNOWN.get(root) ?? findTargets(root);
  KNOWN.set(root, known);
  return known;
}

function findTargets(root: JsonSchema): Targets {
  // References are looked up as they are written: the library's own table only knows whole schemas.
  const targets: Targets = Object.create(null);
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) for (const inner of node) walk(inner);
    if (!isRecord(node)) return;
    const target = typeof node.$ref === 'string' && dereference(root, node.$ref);
    if (target) targets[node.$ref as string] = target as Schema;
    for (const inner of Object.values(node)) walk(inner);
  };
  walk(root);
  return targets;
}

/** Whether a value fits a schema that stands in the one that the targets are of. */
export function fits(targets: Targets, schema: JsonSchema, value: unknown): boolean {
  return check(value, schema as Schema, '2020-12', targets).valid;
}

/** The places where a value breaks a schema of draft 2020-12; none when it fits. */
export function validate(schema: JsonSchema, value: unknown): OutputUnit[] {
  return check(value, schema as Schema, '2020-12', targetsOf(schema), false).errors;
}
