import { getSchemaType, isRecord, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { collectDefinitions } from './schema-parts.ts';

/** String formats of JSON Schema that models support in strict structured outputs. */
const FORMATS = 'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' ');
/**
 * JSON Schema keywords that are not copied into descriptions. The answer schema expresses them in another
 * way, or they mean nothing to a model.
 */
const EXPRESSED_KEYWORD_NAMES =
  '$schema $id $ref $defs definitions type enum const properties required items additionalProperties anyOf oneOf allOf description title default examples nullable unevaluatedProperties';
const EXPRESSED_KEYWORDS = new Set(EXPRESSED_KEYWORD_NAMES.split(' '));

/**
 * Builds the JSON Schema for a model's answer with extracted objects and the sources of their values. Scalars
 * and optional values may be null, so that the model need not invent them. Rules that strict structured
 * outputs do not support go into descriptions. `isStrict` is false if arbitrary property names or object
 * literals occur.
 */
export function buildAnswerSchema(schema: JsonSchema): {
  schema: Record<string, unknown>;
  isStrict: boolean;
} {
  const { $defs = {}, ...root } = collectDefinitions(schema);
  const relaxing = new SchemaRelaxer({ ...root, $defs });
  const values = { type: 'array', items: relaxing.relax(root, false) };
  const defined = Object.entries($defs).map(([name, own]) => [name, relaxing.relax(own, false)]);
  const source = createClosedObject({
    path: { type: 'string' },
    page: { type: 'integer' },
    text: { type: 'string' },
    confidence: { type: 'number' },
  });
  return {
    schema: {
      ...createClosedObject({ values, sources: { type: 'array', items: source } }),
      ...(defined.length > 0 && { $defs: Object.fromEntries(defined) }),
    },
    isStrict: relaxing.isStrict,
  };
}

function createClosedObject(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

class SchemaRelaxer {
  isStrict = true;
  private readonly root: JsonSchema;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  /** Adapts a part of the schema. If `isOptional` is true, the model may answer null for an absent value. */
  relax(schema: JsonSchema, isOptional: boolean): JsonSchema {
    const { $ref, description, title } = schema;
    const text = description ?? title;
    if ($ref !== undefined && !schema.properties) {
      const isNull = isOptional && !isScalar(resolve(this.root, schema).schema);
      if (!isNull && !text) return { $ref };
      return { ...(text && { description: text }), anyOf: [{ $ref }, ...(isNull ? [{ type: 'null' }] : [])] };
    }
    const { schema: own, options, nullable } = resolve(this.root, schema);
    const isNullable = nullable || isOptional;
    const choices = schema.anyOf ?? schema.oneOf;
    const isPlain = choices && !schema.properties && !schema.items && !schema.allOf && !schema.enum;
    if (options.length < 2 && !isPlain)
      return this.relaxOption({ ...own, ...(text && { description: text }) }, isNullable);
    const anyOf = (isPlain ? choices : options).map((option) => this.relax(option, false));
    const hasNull = anyOf.some(({ type }) => [type].flat().includes('null'));
    if (isNullable && !hasNull) anyOf.push({ type: 'null' });
    return { ...(text && { description: text }), anyOf };
  }

  private relaxOption(schema: JsonSchema, isNullable: boolean): JsonSchema {
    const hint = buildHint(schema);
    const type = getSchemaType(schema);
    const types = (name: string) => (isNullable ? [name, 'null'] : name);
    if (type === 'object') return { ...hint, ...this.relaxObject(schema), type: types('object') };
    if (type === 'array')
      return { ...hint, type: types('array'), items: this.relax(schema.items ?? {}, false) };
    const options = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (options) {
      if (options.some((option) => typeof option === 'object' && option !== null)) this.isStrict = false;
      const known = new Set([...options, null]);
      return { ...hint, type: [...new Set([...known].map(getTypeName))], enum: [...known] };
    }
    const scalars = schema.type === undefined ? ['string', 'number', 'boolean'] : [type];
    const format = FORMATS.includes(schema.format ?? '') ? { format: schema.format! } : {};
    return { ...hint, type: [...new Set([...scalars, 'null'])], ...format };
  }

  private relaxObject(schema: JsonSchema): JsonSchema {
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties ?? {}).map(
      ([name, own]) => [name, this.relax(own, !required.has(name))] as const,
    );
    const object = createClosedObject(Object.fromEntries(members));
    const rest = schema.additionalProperties ?? schema.unevaluatedProperties;
    const isOpen = rest === true || isRecord(rest) || schema.patternProperties !== undefined;
    if (!isOpen && (members.length > 0 || rest === false)) return object;
    this.isStrict = false;
    return { ...object, additionalProperties: isRecord(rest) ? this.relax(rest, true) : true };
  }
}

/** Returns the description, followed by the rules that the answer schema cannot express. */
function buildHint(schema: JsonSchema): { description?: string } {
  const rules = Object.entries(schema).filter(
    ([name]) => !EXPRESSED_KEYWORDS.has(name) && !(name === 'format' && FORMATS.includes(schema.format!)),
  );
  const parts = [
    schema.description ?? schema.title,
    rules.length > 0 && JSON.stringify(Object.fromEntries(rules)),
  ].filter(Boolean);
  return parts.length > 0 ? { description: parts.join(' ') } : {};
}

const isScalar = (schema: JsonSchema) => !['object', 'array'].includes(getSchemaType(schema));
const getTypeName = (value: unknown) => (value === null ? 'null' : typeof value);
