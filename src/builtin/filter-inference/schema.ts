/** A property of the inference schema, reduced to what can be looked for in a query. */
export interface Property {
  key: string;
  kind: 'enum' | 'number' | 'date' | 'boolean' | 'string';
  /** What people call it: the words of its key and title, lower-cased. */
  labels: string[];
  /** Allowed values of an enum, known examples of anything else. */
  values: (string | number)[];
  minimum: number;
  maximum: number;
  /** Numbers of this property are years, so that a bare year in the query is about it. */
  isYear: boolean;
}

type Json = Record<string, unknown>;

/** Properties and listed values of a schema together. Each of them is looked for in the query. */
export const MOST_NAMES = 1_000;
/** Characters of a schema as JSON. */
export const LONGEST_SCHEMA = 150_000;

/** Returns why no filters can be read by a schema of this size; `undefined` if they can. */
export function whyTooLarge(schema: unknown): string | undefined {
  const { length } = JSON.stringify(schema);
  if (length > LONGEST_SCHEMA) return `has ${length} characters, at most ${LONGEST_SCHEMA} are allowed`;
  const names = propertiesOf(schema).reduce((sum, { values }) => sum + 1 + values.length, 0);
  if (names <= MOST_NAMES) return undefined;
  return `has ${names} properties and listed values, at most ${MOST_NAMES} are allowed`;
}

/** Reads a JSON Schema of an object, or a bare map of property schemas. What it cannot use it leaves out. */
export function propertiesOf(schema: unknown): Property[] {
  if (!isObject(schema)) return [];
  const properties = isObject(schema.properties) ? schema.properties : schema;
  return Object.entries(properties).flatMap(([key, value]) => {
    const definition = typeof value === 'string' ? { type: value } : value;
    return isObject(definition) ? [propertyOf(key, definition)] : [];
  });
}

function propertyOf(key: string, definition: Json): Property {
  const inner = definitionOf(definition);
  const described = `${key} ${text(definition.title)} ${text(definition.description)}`.toLowerCase();
  const values = scalars(inner.enum ?? (inner.const === undefined ? undefined : [inner.const]));
  const examples = [
    ...new Set([definition, inner].flatMap((each) => scalars(each.examples).concat(scalars([each.example])))),
  ];
  const type = Array.isArray(inner.type) ? inner.type.find((each) => each !== 'null') : inner.type;
  const isDate =
    text(inner.format).startsWith('date') ||
    (type !== 'number' &&
      type !== 'integer' &&
      examples.some((each) => /^\d{4}-\d{2}-\d{2}/.test(String(each))));
  const kind =
    values.length > 0
      ? 'enum'
      : type === 'number' || type === 'integer'
        ? 'number'
        : type === 'boolean'
          ? 'boolean'
          : isDate
            ? 'date'
            : 'string';
  return {
    key,
    kind,
    labels: [...new Set([labelOf(key), labelOf(text(definition.title))])].filter((label) => label !== ''),
    values: values.length > 0 ? values : examples,
    minimum: typeof inner.minimum === 'number' ? inner.minimum : -Infinity,
    maximum: typeof inner.maximum === 'number' ? inner.maximum : Infinity,
    isYear: /\b(fiscal|publication|release)?_?(year|jaar|jahr|année|año|anno|ano|rok|год)\b/.test(
      described.replaceAll('_', ' '),
    ),
  };
}

/** The part that says what a value is: of nullable unions the other branch, of lists their items. */
function definitionOf(definition: Json): Json {
  const branches = definition.anyOf ?? definition.oneOf;
  if (Array.isArray(branches)) {
    const usable = branches.filter((branch): branch is Json => isObject(branch) && branch.type !== 'null');
    const constants = usable.flatMap((branch) => scalars([branch.const]));
    if (constants.length > 0) return { enum: constants };
    if (usable[0]) return definitionOf(usable[0]);
  }
  if (definition.type === 'array' && isObject(definition.items)) return definitionOf(definition.items);
  return definition;
}

function labelOf(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .trim()
    .toLowerCase();
}

function scalars(values: unknown): (string | number)[] {
  if (!Array.isArray(values)) return [];
  return values.filter(
    (value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number',
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
