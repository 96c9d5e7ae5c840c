import type { CLIENT_OPERATIONS } from '#src/api/compat/operations.ts';
import type { OPENAI_OPERATIONS } from '#src/api/openai/operations.ts';
import type { OPERATIONS } from '#src/api/operations.ts';
import { type ApiOperation, type Schema, withoutNull } from '#test/support/openapi.ts';

// Determines which fields of a request name a resource that belongs to someone: at compile time from the
// types of the operations, and in tests from the published description. Both follow the same rules.

/** Fields that name a resource although their name does not end like an id. */
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

/** Settings of external systems. Ids inside of them belong to those systems. */
const OF_OTHER_SYSTEMS = ['component'] as const;

/** Maximum depth of a body. Filters are recursive and end here. */
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

/** Fields of an operation that name a resource, such as `path.pipeline_id` or `body.filter.file_ids`. */
export type NamedFields<Id extends string> =
  Extract<AnyOperation, { id: Id }> extends infer Each
    ?
        | FieldsOf<PartOf<Each, 'params'>, 'path', Levels>
        | FieldsOf<PartOf<Each, 'query'>, 'query', Levels>
        | FieldsOf<PartOf<Each, 'body'>, 'body', Levels>
    : never;

export type AnyOperationId = AnyOperation['id'];

/** Scope of a request. Every operation treats these fields in the same way, so they need no row. */
export const SCOPE_FIELDS = ['query.project_id', 'query.organization_id'] as const;

const namesThing = (name: string) =>
  /^ids?$|_ids?$|Id$/.test(name) || (OTHER_NAMES as readonly string[]).includes(name);

/** Lists the named fields from the published description, including form parts and scope fields. */
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
