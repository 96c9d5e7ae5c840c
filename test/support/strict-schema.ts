type Schema = Record<string, unknown>;

const ANYWHERE = ['type', 'description', 'enum', 'anyOf', '$ref', '$defs'];
const KNOWN = [...ANYWHERE, 'properties', 'required', 'additionalProperties', 'items', 'format'];

/** Returns the reasons why endpoints with strict structured outputs would reject a schema. */
export function strictFaults(schema: unknown): string[] {
  const faults: string[] = [];
  const isSchema = (value: unknown): value is Schema =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const root = isSchema(schema) ? schema : {};
  const visit = (node: unknown, at: string): void => {
    const fault = (message: string) => faults.push(`${at}: ${message}`);
    if (!isSchema(node)) return void fault('is no schema');
    for (const name of Object.keys(node)) if (!KNOWN.includes(name)) fault(`${name} is not permitted`);
    if (node.$ref !== undefined) {
      const name = /^#\/\$defs\/([^/]+)$/.exec(String(node.$ref))?.[1];
      if (!name || !isSchema(root.$defs) || !root.$defs[name]) fault(`${node.$ref} is not there`);
      if (Object.keys(node).length > 1) fault('$ref cannot have keywords beside it');
      return;
    }
    if (Array.isArray(node.anyOf)) {
      for (const [index, option] of node.anyOf.entries()) visit(option, `${at}/anyOf/${index}`);
      return;
    }
    const types = [node.type].flat();
    if (node.type === undefined) fault('schema must have a type key');
    if (types.includes('array')) visit(node.items, `${at}/items`);
    if (!types.includes('object')) return;
    const properties = isSchema(node.properties) ? node.properties : {};
    if (node.additionalProperties !== false) fault('additionalProperties is required to be false');
    const required = Array.isArray(node.required) ? node.required : [];
    if (Object.keys(properties).some((name) => !required.includes(name)))
      fault('required must include every key in properties');
    for (const [name, inner] of Object.entries(properties)) visit(inner, `${at}/${name}`);
  };
  if (root.type !== 'object' || root.anyOf) faults.push('the root must be an object');
  visit(root, '');
  for (const [name, inner] of Object.entries((root.$defs ?? {}) as Schema)) visit(inner, `$defs/${name}`);
  return faults;
}
