import { isRecord, type JsonSchema, resolve } from '#src/json-schema/schema.ts';

/** Column of a table of extracted values: its name, and the path to its value in a result. */
export interface ValueColumn {
  name: string;
  path: readonly string[];
}

/** Maximum number of columns of a table. Further fields of a schema are left out. */
const MAX_COLUMNS = 1_000;

/**
 * Returns the columns for the values of a schema. Fields of nested objects are columns of their own, with
 * names joined by dots. A list is one column.
 */
export function listColumns(schema: JsonSchema): ValueColumn[] {
  const columns: ValueColumn[] = [];
  const visit = (node: JsonSchema, path: string[]): void => {
    const { schema: resolved } = resolve(schema, node);
    const fields = isRecord(resolved.properties) ? Object.entries(resolved.properties) : [];
    if (fields.length > 0 && path.length < 20)
      for (const [name, inner] of fields) visit(inner, [...path, name]);
    else if (path.length > 0 && columns.length < MAX_COLUMNS) columns.push({ name: path.join('.'), path });
  };
  visit(schema, []);
  return columns;
}

/** Returns the value at a path. Returns `undefined` if the path leads nowhere. */
export function readPath(value: unknown, path: readonly string[]): unknown {
  let node = value;
  for (const part of path) node = isRecord(node) && Object.hasOwn(node, part) ? node[part] : undefined;
  return node;
}
