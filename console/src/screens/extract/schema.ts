import { t } from '../../i18n/messages.ts';

/** JSON Schema node. Keywords that the table does not show are preserved. */
export type Schema = Record<string, unknown>;

/** Field types of the table and their labels. */
export const getKinds = () =>
  ({
    string: t('Text'),
    number: t('Number'),
    integer: t('Whole number'),
    boolean: t('Yes or no'),
    object: t('Group'),
    'array of string': t('List of texts'),
    'array of number': t('List of numbers'),
    'array of object': t('List of groups'),
  }) as const;
export type Kind = keyof ReturnType<typeof getKinds>;

export const EMPTY: Schema = { type: 'object', properties: {}, required: [] };

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the type of a schema node, ignoring `null`. Returns `undefined` if the node has several types or
 * none.
 */
function getSingleType(node: Schema): string | undefined {
  const types = [node.type].flat().filter((type) => type !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : undefined;
}

/**
 * Returns the field type that the table shows for a schema node. Returns `undefined` if the table cannot
 * represent the node.
 */
export function findKind(node: Schema): Kind | undefined {
  const type = getSingleType(node);
  const kind = type === 'array' && isRecord(node.items) ? `array of ${getSingleType(node.items)}` : type;
  return kind !== undefined && kind in getKinds() ? (kind as Kind) : undefined;
}

export function convertToKind(node: Schema, kind: Kind): Schema {
  const { description } = node;
  const described = description === undefined ? {} : { description };
  if (kind === 'object') return { ...EMPTY, ...described };
  if (!kind.startsWith('array of ')) return { type: kind, ...described };
  const inner = kind.slice('array of '.length);
  return { type: 'array', ...described, items: inner === 'object' ? EMPTY : { type: inner } };
}

/**
 * Returns the schema that contains the fields of a group, or of the items in a list of groups. Returns
 * `undefined` for other schema nodes.
 */
export function findGroup(node: Schema): Schema | undefined {
  const kind = findKind(node);
  if (kind === 'object') return node;
  return kind === 'array of object' ? (node.items as Schema) : undefined;
}

export const replaceGroup = (node: Schema, group: Schema): Schema =>
  findKind(node) === 'object' ? group : { ...node, items: group };

export interface FieldRow {
  name: string;
  node: Schema;
  isRequired: boolean;
}

export function listFields(group: Schema): FieldRow[] {
  const required = Array.isArray(group.required) ? group.required : [];
  return Object.entries(isRecord(group.properties) ? group.properties : {}).map(([name, node]) => ({
    name,
    node: isRecord(node) ? node : {},
    isRequired: required.includes(name),
  }));
}

export const replaceFields = (group: Schema, fields: FieldRow[]): Schema => ({
  ...group,
  properties: Object.fromEntries(fields.map(({ name, node }) => [name, node])),
  required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
});

/** Returns an unused field name: "field", "field_2" and so on. */
export function findFreeName(fields: FieldRow[]): string {
  const taken = new Set(fields.map(({ name }) => name));
  let number = 1;
  while (taken.has(number === 1 ? 'field' : `field_${number}`)) number += 1;
  return number === 1 ? 'field' : `field_${number}`;
}
