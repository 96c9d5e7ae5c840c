type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns an extracted value with every field of its schema, in the order of the schema. A field without a value is
 * `null`; of a group without a value, each field is. Fields that the schema does not name follow.
 */
export function withMissingFields(value: unknown, schema: unknown): unknown {
  return isNode(schema) ? complete(value, schema, schema, []) : value;
}

/** `within`: the nodes of groups that are being completed, so that a schema that refers to itself comes to an end. */
function complete(value: unknown, given: unknown, root: Node, within: readonly Node[]): unknown {
  const options = resolveOptions(given, root);
  if (Array.isArray(value)) {
    // One result for each page or row is a list of what the schema describes.
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

/** The schemas that a node stands for: itself, what its `$ref` names, and its alternatives. */
function resolveOptions(node: unknown, root: Node, seen: readonly unknown[] = []): Node[] {
  if (!isNode(node) || seen.includes(node)) return [];
  const alternatives = [node.anyOf, node.oneOf, node.allOf].filter(Array.isArray).flat();
  const referred = typeof node.$ref === 'string' ? [findReferred(node.$ref, root)] : [];
  const others = [...referred, ...alternatives];
  return [node, ...others.flatMap((each) => resolveOptions(each, root, [...seen, node]))];
}

/** Returns what a reference within the schema names, as `#/$defs/address`, or `undefined`. */
function findReferred(reference: string, root: Node): unknown {
  const names = reference
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>((node, name) => (isNode(node) ? node[name] : undefined), root);
}
