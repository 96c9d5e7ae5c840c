/** A node of a JSON Schema as it was written; what the table does not show is kept. */
export type Schema = Record<string, unknown>;

/** What a field holds, in the words of the table. */
export const KINDS = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  object: 'Group',
  'array of string': 'List of texts',
  'array of number': 'List of numbers',
  'array of object': 'List of groups',
} as const;
export type Kind = keyof typeof KINDS;

export const EMPTY: Schema = { type: 'object', properties: {}, required: [] };

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The one type beside null; undefined where there are several or the node is put together of others. */
function typeOf(node: Schema): string | undefined {
  const types = [node.type].flat().filter((type) => type !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : undefined;
}

/** undefined: more than the table can say. */
export function kindOf(node: Schema): Kind | undefined {
  const type = typeOf(node);
  const kind = type === 'array' && isRecord(node.items) ? `array of ${typeOf(node.items)}` : type;
  return kind !== undefined && kind in KINDS ? (kind as Kind) : undefined;
}

export function ofKind(node: Schema, kind: Kind): Schema {
  const { description } = node;
  const said = description === undefined ? {} : { description };
  if (kind === 'object') return { ...EMPTY, ...said };
  if (!kind.startsWith('array of ')) return { type: kind, ...said };
  const inner = kind.slice('array of '.length);
  return { type: 'array', ...said, items: inner === 'object' ? EMPTY : { type: inner } };
}

/** The object whose fields a group or list of groups has; undefined of what has none. */
export function groupOf(node: Schema): Schema | undefined {
  const kind = kindOf(node);
  if (kind === 'object') return node;
  return kind === 'array of object' ? (node.items as Schema) : undefined;
}

export const withGroup = (node: Schema, group: Schema): Schema =>
  kindOf(node) === 'object' ? group : { ...node, items: group };

export interface FieldRow {
  name: string;
  node: Schema;
  isRequired: boolean;
}

export function fieldsOf(group: Schema): FieldRow[] {
  const required = Array.isArray(group.required) ? group.required : [];
  return Object.entries(isRecord(group.properties) ? group.properties : {}).map(([name, node]) => ({
    name,
    node: isRecord(node) ? node : {},
    isRequired: required.includes(name),
  }));
}

export const withFields = (group: Schema, fields: FieldRow[]): Schema => ({
  ...group,
  properties: Object.fromEntries(fields.map(({ name, node }) => [name, node])),
  required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
});

/** "field", "field 2": a name that no field has. */
export function freeName(fields: FieldRow[]): string {
  const taken = new Set(fields.map(({ name }) => name));
  let number = 1;
  while (taken.has(number === 1 ? 'field' : `field_${number}`)) number += 1;
  return number === 1 ? 'field' : `field_${number}`;
}
