type Node = Record<string, unknown>;

/**
 * Puts right where the generator's JSON Schema says something else than the zod schema means: a component or
 * an enumeration that may be null, and the flags of a regular expression, which JSON Schema has no place for.
 */
export function mendDescription(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(mendDescription);
  if (typeof node !== 'object' || node === null) return node;
  return mendSchema(
    Object.fromEntries(Object.entries(node).map(([name, value]) => [name, mendDescription(value)])),
  );
}

function mendSchema(node: Node): Node {
  const { allOf, ...rest } = node;
  if (Array.isArray(allOf) && allOf.some(isNullableMarker)) {
    const parts = allOf.filter((part) => !isNullableMarker(part));
    const whole = parts.length === 1 ? parts[0] : { allOf: parts };
    return { ...rest, anyOf: [whole, { type: 'null' }] };
  }
  if (Array.isArray(node.enum) && admitsNull(node) && !node.enum.includes(null)) {
    return { ...node, enum: [...node.enum, null] };
  }
  if (typeof node.pattern === 'string') return { ...node, pattern: node.pattern.replace(/(?<!\\)\/u$/, '') };
  return node;
}

const admitsNull = (node: Node) => Array.isArray(node.type) && node.type.includes('null');

const isNullableMarker = (part: unknown) =>
  admitsNull(part as Node) && Object.keys(part as Node).length === 1;
