import { z } from 'zod';
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
  code: z.string().describe('A stable word for the kind of error.'),
  request_id: z.string(),
  retryable: z.boolean().describe('Whether the same call may succeed later.'),
  limit: z.string().optional().describe('The limit of the project that was reached, if one was.'),
};

export const errorBody = z.object({ detail: z.string(), ...errorFields }).meta({ id: 'ErrorBody' });

export const validationErrorBody = z
  .object({ detail: z.array(issue), ...errorFields })
  .meta({ id: 'ValidationError' });

/** A page of a list. `next_page_token` is absent on the last page, and a page with a token is never empty. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_page_token: z.string().nullish(),
    total_size: z.number().int().nullish(),
  });
}

export const pageQuery = z.object({
  page_size: z.number().int().min(1).max(1000).nullish().describe('At most so many items a page.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the page before; absent for the first.'),
});

export function idParams<Name extends string>(...names: Name[]) {
  return z.object(Object.fromEntries(names.map((name) => [name, uuid()])) as Record<Name, z.ZodUUID>);
}

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const LONGEST_ID = 200;

/** UUID with or without the prefix, in any case. It is converted to lower case. */
export function prefixedId(prefix: string) {
  return z
    .string()
    .regex(new RegExp(`^(${prefix}-)?${UUID}$`), {
      error: `Input should be a uuid, bare or as ${prefix}-<uuid>`,
    })
    .toLowerCase();
}

/**
 * Id in a path. Text that is no UUID is not rejected here; the operation answers 404 as for an unknown id.
 */
export function pathId(prefix: string) {
  return z.string().max(LONGEST_ID).toLowerCase().describe(`A uuid, bare or as \`${prefix}-<uuid>\`.`);
}
