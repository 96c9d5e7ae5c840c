/** Property of a metadata schema, reduced to what filter inference needs. */
export interface Property {
  key: string;
  kind: 'enum' | 'number' | 'date' | 'boolean' | 'string';
  /** Names of the property in lower case: the words of its key, and its title. */
  labels: string[];
  /** Allowed values of an enum, or known examples of any other property. */
  values: (string | number)[];
  minimum: number;
  maximum: number;
  /**
   * True if the numbers of this property are years. A bare year in the query then refers to this property.
   */
  isYear: boolean;
}

type Json = Record<string, unknown>;

/**
 * Maximum number of properties and listed values of a schema together. Each of them is searched for in the
 * query.
 */
export const MAX_NAMES = 1_000;
/** Maximum length of a schema as JSON, in characters. */
export const MAX_SCHEMA_CHARACTERS = 150_000;

/** Returns why a schema is too large for filter inference, or `undefined` if it is not too large. */
export function describeExcess(schema: unknown): string | undefined {
  const { length } = JSON.stringify(schema);
  if (length > MAX_SCHEMA_CHARACTERS)
    return `has ${length} characters, but at most ${MAX_SCHEMA_CHARACTERS} are allowed`;
  const names = listProperties(schema).reduce((sum, { values }) => sum + 1 + values.length, 0);
  if (names <= MAX_NAMES) return undefined;
  return `has ${names} properties and listed values, but at most ${MAX_NAMES} are allowed`;
}

/**
 * Returns the properties of a JSON Schema, or of a plain map from names to property schemas. Parts that
 * filter inference cannot use are ignored.
 */
export function listProperties(schema: unknown): Property[] {
  if (!isObject(schema)) return [];
  const properties = isObject(schema.properties) ? schema.properties : schema;
  return Object.entries(properties).flatMap(([key, value]) => {
    const definition = typeof value === 'string' ? { type: value } : value;
    return isObject(definition) ? [toProperty(key, definition)] : [];
  });
}

function toProperty(key: string, definition: Json): Property {
  const inner = resolveDefinition(definition);
  const described = `${key} ${toText(definition.title)} ${toText(definition.description)}`.toLowerCase();
  const values = listScalars(inner.enum ?? (inner.const === undefined ? undefined : [inner.const]));
  const examples = [
    ...new Set(
      [definition, inner].flatMap((each) => listScalars(each.examples).concat(listScalars([each.example]))),
    ),
  ];
  const type = Array.isArray(inner.type) ? inner.type.find((each) => each !== 'null') : inner.type;
  const isDate =
    toText(inner.format).startsWith('date') ||
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
    labels: [...new Set([toLabel(key), toLabel(toText(definition.title))])].filter((label) => label !== ''),
    values: values.length > 0 ? values : examples,
    minimum: typeof inner.minimum === 'number' ? inner.minimum : -Infinity,
    maximum: typeof inner.maximum === 'number' ? inner.maximum : Infinity,
    isYear: /\b(fiscal|publication|release)?_?(year|jaar|jahr|année|año|anno|ano|rok|год)\b/.test(
      described.replaceAll('_', ' '),
    ),
  };
}

/**
 * Returns the definition of a property's values. In a nullable union, this is the branch that is not null.
 * For a list, it is the definition of the items.
 */
function resolveDefinition(definition: Json): Json {
  const branches = definition.anyOf ?? definition.oneOf;
  if (Array.isArray(branches)) {
    const usable = branches.filter((branch): branch is Json => isObject(branch) && branch.type !== 'null');
    const constants = usable.flatMap((branch) => listScalars([branch.const]));
    if (constants.length > 0) return { enum: constants };
    if (usable[0]) return resolveDefinition(usable[0]);
  }
  if (definition.type === 'array' && isObject(definition.items)) return resolveDefinition(definition.items);
  return definition;
}

function toLabel(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .trim()
    .toLowerCase();
}

function listScalars(values: unknown): (string | number)[] {
  if (!Array.isArray(values)) return [];
  return values.filter(
    (value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number',
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
