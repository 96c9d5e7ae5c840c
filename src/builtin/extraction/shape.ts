import { type JsonSchema, MAX_LEVELS, resolve, typeOf } from '#src/json-schema/schema.ts';
import { describeField, type Field, propertiesOf } from './fields.ts';

/** What one item of a list holds, as the columns of a table may give it. Paths lead through objects. */
export interface Shape {
  leaves: Leaf[];
  lists: List[];
}

export interface Leaf {
  path: string[];
  field: Field;
}

/** A list inside an item: of objects, or of single values. */
export type List = { path: string[]; items: Shape } | { path: string[]; field: Field };

/** The shape of an object schema, to any depth that a schema may have. */
export function shapeOf(root: JsonSchema, schema: JsonSchema, above: string[] = [], level = 1): Shape {
  const shape: Shape = { leaves: [], lists: [] };
  if (level > MAX_LEVELS) return shape;
  for (const [name, property] of propertiesOf(root, schema)) {
    const own = resolve(root, property).schema;
    const type = typeOf(own);
    if (type === 'object') {
      const inner = shapeOf(root, own, [...above, name], level + 1);
      for (const each of inner.leaves.map((leaf) => ({ ...leaf, path: [name, ...leaf.path] })))
        shape.leaves.push(each);
      for (const each of inner.lists.map((list) => ({ ...list, path: [name, ...list.path] })))
        shape.lists.push(each);
    } else if (type === 'array') shape.lists.push(listOf(root, name, own, level));
    else shape.leaves.push({ path: [name], field: describeField(root, name, property, above, true) });
  }
  return shape;
}

function listOf(root: JsonSchema, name: string, schema: JsonSchema, level: number): List {
  const items = resolve(root, schema.items ?? {}).schema;
  if (typeOf(items) === 'object') return { path: [name], items: shapeOf(root, items, [], level + 1) };
  const description = items.description ?? schema.description ?? '';
  return { path: [name], field: describeField(root, name, { ...items, description }, [], true) };
}

/** What a table is searched for. */
export interface Wanted {
  fields: Field[];
  /** Fields of items around others: rows that go on with the same item may leave them blank. */
  shared: ReadonlySet<Field>;
  /** Fields whose cells hold several values. */
  many: ReadonlySet<Field>;
}

export function wantedOf(shape: Shape): Wanted {
  const inner = shape.lists.map((list) =>
    'items' in list
      ? wantedOf(list.items)
      : { fields: [list.field], shared: new Set<Field>(), many: new Set([list.field]) },
  );
  const own = shape.leaves.map(({ field }) => field);
  const holdsItems = shape.lists.some((list) => 'items' in list);
  return {
    fields: [...own, ...inner.flatMap(({ fields }) => fields)],
    shared: new Set([...(holdsItems ? own : []), ...inner.flatMap(({ shared }) => [...shared])]),
    many: new Set(inner.flatMap(({ many }) => [...many])),
  };
}
