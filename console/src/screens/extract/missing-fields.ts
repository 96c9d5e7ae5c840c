type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Completes an extracted value with all fields of its schema, in the order of the schema. Missing fields
 * become `null`, also within missing groups. Fields that are not in the schema follow at the end.
 */
export function withMissingFields(value: unknown, schema: unknown): unknown {
  return isNode(schema) ? complete(value, schema, schema, []) : value;
}

/**
 * Completes one value. `within` contains the groups being completed, so that a recursive schema does not
 * cause endless recursion.
 */
function complete(value: unknown, given: unknown, root: Node, within: readonly Node[]): unknown {
  const options = resolveOptions(given, root);
  if (Array.isArray(value)) {
    // If there is one result per page or row, the value is a list although the schema describes a single
    // item.
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
function resolveOptions(node: unknown, root: Node, seen: readonly unknown[] = []): Node[] {
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
