import type { CLIENT_OPERATIONS } from '#src/api/compat/operations.ts';
import type { OPENAI_OPERATIONS } from '#src/api/openai/operations.ts';
import type { OPERATIONS } from '#src/api/operations.ts';
import { type ApiOperation, type Schema, withoutNull } from '#test/support/openapi.ts';

// Which fields of a request name a thing that belongs to someone: for the compiler from the types of the operations,
// and for the tests from the published description. Both follow the same rules.

/** Fields that name a thing without saying so in their ending. */
const OTHER_NAMES = ['file_input', 'model', 'organization', 'project', 'document_input_value'] as const;

type NamesThing<Key extends string> = Key extends
  | 'id'
  | 'ids'
  | `${string}_id`
  | `${string}_ids`
  | `${string}Id`
  | (typeof OTHER_NAMES)[number]
  ? true
  : false;

/** Settings of systems of others: what is named inside of them lies there. */
const OF_OTHER_SYSTEMS = ['component'] as const;

/** Levels of a body that are looked at. Filters contain themselves, and end here. */
type Levels = [1, 1, 1, 1, 1];

type FieldsOf<Value, Place extends string, Left extends unknown[]> = Left extends [unknown, ...infer Less]
  ? Value extends readonly (infer Item)[]
    ? FieldsOf<Item, `${Place}[]`, Less>
    : Value extends Blob | FormData | string | number | boolean | null | undefined
      ? never
      : Value extends object
        ? {
            [Key in keyof Value & string]: string extends Key
              ? never
              : Key extends (typeof OF_OTHER_SYSTEMS)[number]
                ? never
                :
                    | (NamesThing<Key> extends true ? `${Place}.${Key}` : never)
                    | FieldsOf<Value[Key], `${Place}.${Key}`, Less>;
          }[keyof Value & string]
        : never
  : never;

type AnyOperation =
  | (typeof OPERATIONS)[number]
  | (typeof CLIENT_OPERATIONS)[number]
  | (typeof OPENAI_OPERATIONS)[number];
type ConversationOf<Each> = Each extends { types?: infer Types } ? NonNullable<Types> : never;
type PartOf<Each, Part extends string> =
  ConversationOf<Each> extends { [Name in Part]: infer Value } ? Value : never;

/** The fields of an operation that name something, as `path.pipeline_id` or `body.filter.file_ids`. */
export type NamedFields<Id extends string> =
  Extract<AnyOperation, { id: Id }> extends infer Each
    ?
        | FieldsOf<PartOf<Each, 'params'>, 'path', Levels>
        | FieldsOf<PartOf<Each, 'query'>, 'query', Levels>
        | FieldsOf<PartOf<Each, 'body'>, 'body', Levels>
    : never;

export type AnyOperationId = AnyOperation['id'];

/** Where a request acts. Every operation that takes these treats them alike, so that they need no row. */
export const SCOPE_FIELDS = ['query.project_id', 'query.organization_id'] as const;

const namesThing = (name: string) =>
  /^ids?$|_ids?$|Id$/.test(name) || (OTHER_NAMES as readonly string[]).includes(name);

/** The same as the published description has it, with the parts of forms and the fields of a request's scope. */
export function listNamedFields(operation: ApiOperation): string[] {
  const found = new Set<string>();
  for (const { in: place, name, schema } of operation.parameters ?? []) {
    if (place !== 'cookie') collectFields({ properties: { [name]: schema } }, place, found);
  }
  for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
    collectFields(schema ?? {}, type === 'application/json' ? 'body' : 'form', found);
  }
  return [...found];
}

function collectFields(schema: Schema, place: string, found: Set<string>, left = 5): void {
  if (left === 0) return;
  const plain = withoutNull(schema);
  const variants = [...(plain.anyOf ?? []), ...(plain.oneOf ?? []), ...(plain.allOf ?? [])];
  for (const variant of variants) collectFields(variant, place, found, left);
  if (plain.items) collectFields(plain.items, `${place}[]`, found, left - 1);
  for (const [name, member] of Object.entries(plain.properties ?? {})) {
    if ((OF_OTHER_SYSTEMS as readonly string[]).includes(name)) continue;
    if (namesThing(name)) found.add(`${place}.${name}`);
    collectFields(member, `${place}.${name}`, found, left - 1);
  }
}
