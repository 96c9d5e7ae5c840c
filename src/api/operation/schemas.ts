import { z } from 'zod';
import { ERROR_HELP } from '#src/lib/error-help.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';

/** Schemas that several resources share. */
export { metadata } from '#src/lib/metadata.ts';

export const timestamp = z.iso.datetime();

export const issue = z
  .object({
    loc: z.array(z.union([z.string(), z.number()])),
    msg: z.string(),
    type: z.string(),
    input: z.unknown().optional(),
    ctx: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ValidationErrorItem' });

const errorFields = {
  code: z.string().describe(`Kind of error: ${Object.keys(ERROR_HELP).join(', ')}. It never changes.`),
  request_id: z.string(),
  retryable: z.boolean().describe('Whether the same call may succeed later.'),
  limit: z
    .string()
    .optional()
    .describe('Name of the limit of the project that was reached. Absent if none was.'),
};

export const errorBody = z.object({ detail: z.string(), ...errorFields }).meta({ id: 'ErrorBody' });

export const validationErrorBody = z
  .object({ detail: z.array(issue), ...errorFields })
  .meta({ id: 'ValidationError' });

/**
 * Returns the schema of a page. `next_page_token` is absent on the last page. A page that a token leads to is
 * never empty.
 */
export function buildPageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_page_token: z.string().nullish(),
    total_size: z.number().int().nullish(),
  });
}

export const pageQuery = z.object({
  page_size: z.number().int().min(1).max(1000).nullish().describe('Maximum number of items per page.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the previous page. Absent for the first page.'),
});

export function idParams<Name extends string>(...names: Name[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, uuid()])) as Record<Name, z.ZodUUID>);
}

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const MAX_ID_CHARACTERS = 200;

/** Schema for a UUID with or without the prefix, in any case. The value is converted to lower case. */
export function prefixedId(prefix: string) {
  return z
    .string()
    .regex(new RegExp(`^(${prefix}-)?${UUID}$`), {
      error: `Input should be a uuid, bare or as ${prefix}-<uuid>`,
    })
    .toLowerCase();
}

/**
 * Schema for an id in a path. Text that is not a UUID is accepted here, and the operation answers 404 as for
 * an unknown id.
 */
export function pathId(prefix: string) {
  return z
    .string()
    .max(MAX_ID_CHARACTERS)
    .toLowerCase()
    .describe(`A UUID, plain or as \`${prefix}-<uuid>\`.`);
}
