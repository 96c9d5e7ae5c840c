import { z } from 'zod';

// Response schemas of the Jira API. They contain only the fields that Sluice reads. Optional fields of a
// wrong type are treated as missing.

/** Creates the schema of a list. List elements that do not match `schema` are left out. */
export const lenientList = <T>(schema: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all) =>
    all.flatMap((one) => {
      const { data } = schema.safeParse(one);
      return data === undefined ? [] : [data];
    }),
  );

const text = z.string().nullish().catch(null);
const texts = z.record(z.string(), z.string()).nullish().catch(null);

export const user = z.object({ displayName: text }).nullish().catch(null);

export const attachment = z.object({
  id: z.coerce.string().regex(/^\d{1,30}$/),
  filename: text,
  size: z.unknown().optional(),
  created: text,
  mimeType: text,
  author: user,
});
export type Attachment = z.infer<typeof attachment>;

const fieldType = z.object({ custom: text }).nullish().catch(null);
const change = z
  .object({ field: text, fromString: text, toString: text })
  .transform(({ field, fromString: from, toString: to }) => ({ field, from, to }));
const history = z.object({ created: text, author: user, items: lenientList(change).nullish().catch(null) });
export type History = z.infer<typeof history>;

export const issue = z.object({
  id: z.string().min(1),
  key: z.string().min(1),
  fields: z.record(z.string(), z.unknown()),
  names: texts,
  schema: z.record(z.string(), fieldType).nullish().catch(null),
  changelog: z
    .object({ histories: lenientList(history) })
    .nullish()
    .catch(null),
});
export type Issue = z.infer<typeof issue>;

export const comment = z.object({
  body: z.unknown(),
  author: user,
  created: text,
  visibility: z.object({ value: text }).nullish().catch(null),
});
export type Comment = z.infer<typeof comment>;

const count = z.number().nullish().catch(null);
export const comments = z.object({ comments: z.array(z.unknown()), total: count });
export const page = z.object({ issues: z.array(z.unknown()), nextPageToken: text, total: count });
export const server = z.object({ baseUrl: text, deploymentType: text });
