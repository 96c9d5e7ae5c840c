import { isRecord, type JsonSchema, resolve, typeOf } from '#src/json-schema/schema.ts';
import { standAlone } from './schema-parts.ts';

/** Formats that strict structured outputs support. */
const FORMATS = 'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' ');
/** Keywords that are expressed otherwise or have no meaning for a model. */
const SAID =
  '$schema $id $ref $defs definitions type enum const properties required items additionalProperties anyOf oneOf allOf description title default examples nullable unevaluatedProperties';
const SAID_OTHERWISE = new Set(SAID.split(' '));

/**
 * What the model is asked to answer: objects of the caller's schema in which every scalar, and all that is not
 * required, may be null, so that nothing has to be invented, and the places it read them from. In the subset that
 * strict structured outputs allow: objects are closed and require all they name, further rules stand in the
 * descriptions. Objects of open names are not in it: `isStrict` is then false.
 */
export function answerSchema(schema: JsonSchema): { schema: Record<string, unknown>; isStrict: boolean } {
  const { $defs = {}, ...root } = standAlone(schema);
  const relaxing = new Relaxing({ ...root, $defs });
  const values = { type: 'array', items: relaxing.relax(root, false) };
  const defined = Object.entries($defs).map(([name, own]) => [name, relaxing.relax(own, false)]);
  const source = closed({
    path: { type: 'string' },
    page: { type: 'integer' },
    text: { type: 'string' },
    confidence: { type: 'number' },
  });
  return {
    schema: {
      ...closed({ values, sources: { type: 'array', items: source } }),
      ...(defined.length > 0 && { $defs: Object.fromEntries(defined) }),
    },
    isStrict: relaxing.isStrict,
  };
}

function closed(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

class Relaxing {
  isStrict = true;
  private readonly root: JsonSchema;

  constructor(root: JsonSchema) {
    this.root = root;
  }

  /** With `isOptional`, null represents an absent value. */
  relax(schema: JsonSchema, isOptional: boolean): JsonSchema {
    const { $ref, description, title } = schema;
    const said = description ?? title;
    if ($ref !== undefined && !schema.properties) {
      const isNull = isOptional && !isScalar(resolve(this.root, schema).schema);
      if (!isNull && !said) return { $ref };
      return { ...(said && { description: said }), anyOf: [{ $ref }, ...(isNull ? [{ type: 'null' }] : [])] };
    }
    const { schema: own, options, nullable } = resolve(this.root, schema);
    const mayBeNull = nullable || isOptional;
    const choices = schema.anyOf ?? schema.oneOf;
    const isPlain = choices && !schema.properties && !schema.items && !schema.allOf && !schema.enum;
    if (options.length < 2 && !isPlain)
      return this.one({ ...own, ...(said && { description: said }) }, mayBeNull);
    const anyOf = (isPlain ? choices : options).map((option) => this.relax(option, false));
    const hasNull = anyOf.some(({ type }) => [type].flat().includes('null'));
    if (mayBeNull && !hasNull) anyOf.push({ type: 'null' });
    return { ...(said && { description: said }), anyOf };
  }

  /** Converts a schema of one type, or of any type. */
  private one(schema: JsonSchema, mayBeNull: boolean): JsonSchema {
    const hint = hintOf(schema);
    const type = typeOf(schema);
    const types = (name: string) => (mayBeNull ? [name, 'null'] : name);
    if (type === 'object') return { ...hint, ...this.object(schema), type: types('object') };
    if (type === 'array')
      return { ...hint, type: types('array'), items: this.relax(schema.items ?? {}, false) };
    const options = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
    if (options) {
      if (options.some((option) => typeof option === 'object' && option !== null)) this.isStrict = false;
      const known = new Set([...options, null]);
      return { ...hint, type: [...new Set([...known].map(nameOf))], enum: [...known] };
    }
    const scalars = schema.type === undefined ? ['string', 'number', 'boolean'] : [type];
    const format = FORMATS.includes(schema.format ?? '') ? { format: schema.format! } : {};
    return { ...hint, type: [...new Set([...scalars, 'null'])], ...format };
  }

  private object(schema: JsonSchema): JsonSchema {
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties ?? {}).map(
      ([name, own]) => [name, this.relax(own, !required.has(name))] as const,
    );
    const object = closed(Object.fromEntries(members));
    const rest = schema.additionalProperties ?? schema.unevaluatedProperties;
    const isOpen = rest === true || isRecord(rest) || schema.patternProperties !== undefined;
    if (!isOpen && (members.length > 0 || rest === false)) return object;
    this.isStrict = false;
    return { ...object, additionalProperties: isRecord(rest) ? this.relax(rest, true) : true };
  }
}

/** Returns the description with the rules that the schema cannot express. */
function hintOf(schema: JsonSchema): { description?: string } {
  const rules = Object.entries(schema).filter(
    ([name]) => !SAID_OTHERWISE.has(name) && !(name === 'format' && FORMATS.includes(schema.format!)),
  );
  const parts = [
    schema.description ?? schema.title,
    rules.length > 0 && JSON.stringify(Object.fromEntries(rules)),
  ].filter(Boolean);
  return parts.length > 0 ? { description: parts.join(' ') } : {};
}

const isScalar = (schema: JsonSchema) => !['object', 'array'].includes(typeOf(schema));
const nameOf = (value: unknown) => (value === null ? 'null' : typeof value);
