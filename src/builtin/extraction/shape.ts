import { getSchemaType, type JsonSchema, MAX_LEVELS, resolve } from '#src/json-schema/schema.ts';
import { describeField, type Field, listProperties } from './fields.ts';

/** Scalar fields and nested lists of one item of a list. Table columns can provide both. */
export interface Shape {
  leaves: Leaf[];
  lists: List[];
}

export interface Leaf {
  path: string[];
  field: Field;
}

/** List inside an item of a table. The list contains either objects or single values. */
export type List = { path: string[]; items: Shape } | { path: string[]; field: Field };

/** Returns the shape of an object schema, up to the maximum depth. */
export function buildShape(root: JsonSchema, schema: JsonSchema, above: string[] = [], level = 1): Shape {
  const shape: Shape = { leaves: [], lists: [] };
  if (level > MAX_LEVELS) return shape;
  for (const [name, property] of listProperties(root, schema)) {
    const own = resolve(root, property).schema;
    const type = getSchemaType(own);
    if (type === 'object') {
      const inner = buildShape(root, own, [...above, name], level + 1);
      for (const each of inner.leaves.map((leaf) => ({ ...leaf, path: [name, ...leaf.path] })))
        shape.leaves.push(each);
      for (const each of inner.lists.map((list) => ({ ...list, path: [name, ...list.path] })))
        shape.lists.push(each);
    } else if (type === 'array') shape.lists.push(buildList(root, name, own, level));
    else shape.leaves.push({ path: [name], field: describeField(root, name, property, above, true) });
  }
  return shape;
}

function buildList(root: JsonSchema, name: string, schema: JsonSchema, level: number): List {
  const items = resolve(root, schema.items ?? {}).schema;
  if (getSchemaType(items) === 'object')
    return { path: [name], items: buildShape(root, items, [], level + 1) };
  const description = items.description ?? schema.description ?? '';
  return { path: [name], field: describeField(root, name, { ...items, description }, [], true) };
}

/** Schema fields that can be columns of a table. */
export interface TableFields {
  fields: Field[];
  /**
   * Fields of outer objects in nested lists. In a table, later rows of the same outer object may leave these
   * cells blank.
   */
  shared: ReadonlySet<Field>;
  /** Fields for which one table cell contains several values. */
  multiValued: ReadonlySet<Field>;
}

export function listTableFields(shape: Shape): TableFields {
  const inner = shape.lists.map((list) =>
    'items' in list
      ? listTableFields(list.items)
      : { fields: [list.field], shared: new Set<Field>(), multiValued: new Set([list.field]) },
  );
  const own = shape.leaves.map(({ field }) => field);
  const holdsItems = shape.lists.some((list) => 'items' in list);
  return {
    fields: [...own, ...inner.flatMap(({ fields }) => fields)],
    shared: new Set([...(holdsItems ? own : []), ...inner.flatMap(({ shared }) => [...shared])]),
    multiValued: new Set(inner.flatMap(({ multiValued }) => [...multiValued])),
  };
}
