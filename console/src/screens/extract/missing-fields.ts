type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Adds the missing fields of the schema to an extracted value, as `null` and in the schema's order. Groups
 * are completed in the same way. Fields that the schema does not contain follow at the end.
 */
export function withMissingFields(value: unknown, schema: unknown): unknown {
  return isNode(schema) ? complete(value, schema, schema, []) : value;
}

/**
 * Adds missing fields to one value. `within` contains the schemas of the enclosing groups, which prevents
 * endless recursion in a recursive schema.
 */
function complete(value: unknown, given: unknown, root: Node, within: readonly Node[]): unknown {
  const options = resolveOptions(given, root);
  if (Array.isArray(value)) {
    // An extraction per page or per row returns a list of results, although the schema describes a single
    // result.
    const items =
      options.find(({ items: each }) => isNode(each))?.items ?? (within.length === 0 ? given : undefined);
    return value.map((each) => complete(each, items, root, within));
  }
  const group = options.find(({ properties }) => isNode(properties));
  const isEmpty = value === undefined || value === null;
  if (!group || (!isEmpty && !isNode(value)) || (isEmpty && within.includes(group))) return value ?? null;
  const known = isNode(value) ? value : {};
  const inner = [...within, group];
  const fields = Object.entries(group.properties as Node).map(([name, node]) => [
    name,
    complete(Object.hasOwn(known, name) ? known[name] : undefined, node, root, inner),
  ]);
  const others = Object.entries(known).filter(([name]) => !Object.hasOwn(group.properties as Node, name));
  return Object.fromEntries([...fields, ...others]);
}

/**
 * Returns all schemas that a node stands for: the node itself, the target of its `$ref`, and its
 * alternatives.
 */
export function resolveOptions(node: unknown, root: Node, seen: readonly unknown[] = []): Node[] {
  if (!isNode(node) || seen.includes(node)) return [];
  const alternatives = [node.anyOf, node.oneOf, node.allOf].filter(Array.isArray).flat();
  const referred = typeof node.$ref === 'string' ? [findReferred(node.$ref, root)] : [];
  const others = [...referred, ...alternatives];
  return [node, ...others.flatMap((each) => resolveOptions(each, root, [...seen, node]))];
}

/**
 * Resolves a reference within the schema, such as `#/$defs/address`. Returns `undefined` if the target does
 * not exist.
 */
function findReferred(reference: string, root: Node): unknown {
  const names = reference
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((node, name) => (isNode(node) ? node[name] : undefined), root);
}
