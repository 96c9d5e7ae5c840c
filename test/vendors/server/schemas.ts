// Published descriptions are written for readers: as they are, they accept misspelled members, and some do
// not compile.

export type Schema = Record<string, unknown>;

const USES = ['items', 'additionalProperties', 'contains', 'propertyNames', 'unevaluatedItems'];
const MAPS = ['properties', 'patternProperties'];
const CHOICES = ['anyOf', 'oneOf'];
/** Keywords that only annotate a value. */
const ANNOTATIONS = new Set(['nullable', 'description', 'title', 'example', 'default', 'deprecated']);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Converts the schemas of one description for ajv. `document` has the id that references use. */
export class Normaliser {
  readonly #document: Schema;
  readonly #id: string;

  constructor(document: Schema, id: string) {
    this.#document = document;
    this.#id = id;
  }

  /** Returns the components without closing them. Schemas are closed where they are used. */
  components(): Schema {
    const { components } = this.#document as { components?: { schemas?: Record<string, unknown> } };
    const schemas = Object.entries(components?.schemas ?? {});
    return { schemas: Object.fromEntries(schemas.map(([name, schema]) => [name, this.#open(schema)])) };
  }

  /** Returns a schema that rejects undeclared members. */
  use(schema: unknown): unknown {
    const open = this.#open(schema);
    if (!isSchema(schema) || !isSchema(open)) return open;
    const isSettled = 'additionalProperties' in schema || 'unevaluatedProperties' in schema;
    if (isSettled || !this.#declaresMembers(schema, new Set())) return open;
    return { ...open, unevaluatedProperties: false };
  }

  resolve(ref: string): unknown {
    const steps = ref.replace(/^#\//, '').split('/');
    return steps.reduce<unknown>(
      (at, step) => (at as Schema)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
      this.#document,
    );
  }

  #open(schema: unknown): unknown {
    if (!isSchema(schema)) return schema;
    const open: Schema = { ...schema };
    if (typeof schema.$ref === 'string') open.$ref = this.#id + schema.$ref;
    for (const name of USES) if (name in schema) open[name] = this.use(schema[name]);
    for (const name of MAPS) {
      if (isSchema(schema[name])) open[name] = mapped(schema[name], (member) => this.use(member));
    }
    for (const name of ['if', 'then', 'else', 'not']) {
      if (name in schema) open[name] = this.#open(schema[name]);
    }
    if (Array.isArray(schema.allOf)) open.allOf = schema.allOf.map((branch) => this.#open(branch));
    for (const name of CHOICES) {
      if (Array.isArray(schema[name])) open[name] = schema[name].map((branch) => this.#choice(branch));
    }
    return withNull(withNumericLimits(open));
  }

  /** Keeps a branch that accepts any object open, regardless of the surrounding schema. */
  #choice(branch: unknown): unknown {
    const open = this.#open(branch);
    return isSchema(open) && this.#isFreeForm(branch) ? { ...open, additionalProperties: true } : open;
  }

  #isFreeForm(schema: unknown): boolean {
    if (!isSchema(schema)) return schema === true;
    if (typeof schema.$ref === 'string') return this.#isFreeForm(this.resolve(schema.$ref));
    const said = Object.keys(schema).filter((name) => !ANNOTATIONS.has(name));
    return said.length === 0 ? !schema.nullable : said.join() === 'type' && schema.type === 'object';
  }

  #declaresMembers(schema: unknown, seen: Set<unknown>): boolean {
    if (!isSchema(schema) || seen.has(schema)) return false;
    seen.add(schema);
    if (isSchema(schema.properties) && Object.keys(schema.properties).length > 0) return true;
    if (typeof schema.$ref === 'string') return this.#declaresMembers(this.resolve(schema.$ref), seen);
    return ['allOf', ...CHOICES].some(
      (name) =>
        Array.isArray(schema[name]) && schema[name].some((branch) => this.#declaresMembers(branch, seen)),
    );
  }
}

const mapped = (members: Schema, change: (member: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));

/** Converts `nullable` of OpenAPI 3.0. A schema with only `nullable` accepts null and nothing else. */
function withNull({ nullable, ...schema }: Schema): Schema {
  if (nullable !== true) return schema;
  if (Object.keys(schema).every((name) => ANNOTATIONS.has(name))) return { type: 'null' };
  if (typeof schema.type !== 'string' || 'allOf' in schema || CHOICES.some((name) => name in schema)) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  const more = Array.isArray(schema.enum) && !schema.enum.includes(null) ? [null] : [];
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) && { enum: [...schema.enum, ...more] }),
  };
}

/** Converts exclusive limits, which were flags in OpenAPI 3.0. */
function withNumericLimits({ exclusiveMinimum, exclusiveMaximum, ...schema }: Schema): Schema {
  const limits: Schema = {};
  if (typeof exclusiveMinimum === 'number') limits.exclusiveMinimum = exclusiveMinimum;
  if (typeof exclusiveMaximum === 'number') limits.exclusiveMaximum = exclusiveMaximum;
  if (exclusiveMinimum === true) limits.exclusiveMinimum = schema.minimum;
  if (exclusiveMaximum === true) limits.exclusiveMaximum = schema.maximum;
  return { ...schema, ...limits };
}
