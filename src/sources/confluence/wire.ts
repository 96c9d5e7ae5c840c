import { z } from 'zod';

/** Maximum number of ancestors of a Confluence page. Real pages have far fewer. */
const DEEPEST = 500;

const text = z.string().nullish().catch(null);

const person = z
  .object({ accountId: text, email: text, displayName: text, publicName: text })
  .nullish()
  .catch(null);
export type Person = z.infer<typeof person>;

/**
 * Schema of the first page of a nested list. Confluence includes only the first people of a restriction and
 * the first attachments of a page in a response.
 */
const nestedList = <T extends z.ZodType>(of: T) =>
  z
    .object({
      results: z.array(of),
      _links: z.object({ next: text }).nullish().catch(null),
    })
    .nullish();

const restrictions = z
  .object({
    read: z
      .object({
        restrictions: z
          .object({
            user: nestedList(person),
            group: nestedList(z.object({ name: text, id: text })),
          })
          .nullish(),
      })
      .nullish(),
  })
  .nullish();

const version = z
  .object({ number: z.number().nullish().catch(null), when: text, by: person })
  .nullish()
  .catch(null);

const attachment = z.object({
  id: z.string().min(1),
  title: text,
  version,
  extensions: z.object({ mediaType: text, fileSize: z.unknown().optional() }).nullish().catch(null),
  _links: z.object({ webui: text }).nullish().catch(null),
});
export type Attachment = z.infer<typeof attachment>;

export const content = z.object({
  id: z.string().min(1),
  type: z.string(),
  status: text,
  title: text,
  space: z
    .object({ id: z.union([z.number(), z.string()]).nullish(), key: z.string(), name: text })
    .nullish()
    .catch(null),
  version,
  history: z.object({ createdBy: person }).nullish().catch(null),
  ancestors: z
    .array(z.object({ id: z.string(), title: text }).nullable())
    .max(DEEPEST)
    .nullish()
    .transform((all) => (all ?? []).filter((each) => each !== null)),
  metadata: z
    .object({ labels: nestedList(z.object({ name: z.string() })) })
    .nullish()
    .catch(null),
  // A page whose restrictions cannot be parsed is rejected, because guessed permissions could expose it.
  restrictions,
  children: z
    .object({ attachment: nestedList(z.unknown()) })
    .nullish()
    .catch(null),
  _links: z.object({ webui: text }).nullish().catch(null),
});
export type Content = z.infer<typeof content>;

export const parseAttachments = ({ children }: Content): Attachment[] =>
  (children?.attachment?.results ?? []).flatMap((each) => attachment.safeParse(each).data ?? []);

/** Search results are parsed one by one later, so that a malformed result does not hide the others. */
export const contents = z.object({
  results: z.array(z.unknown()),
  _links: z.object({ next: text, base: text }),
});

const more = { _links: z.object({ next: text }).nullish() };
const newVersion = z.object({ number: z.number().nullish(), createdAt: text }).nullish().catch(null);

export const spaces = z.object({ results: z.array(z.object({ id: z.string(), key: z.string() })) });
export const grants = z.object({
  results: z.array(
    z.object({
      principal: z.object({ type: z.string(), id: z.string() }).nullish(),
      operation: z.object({ key: z.string(), targetType: z.string() }).nullish(),
    }),
  ),
  ...more,
});
export const body = z.object({
  title: text,
  status: text,
  version: newVersion,
  body: z.object({ storage: z.object({ value: z.string() }) }),
  _links: z.object({ base: text, webui: text }).nullish().catch(null),
});
const newAttachment = z.object({
  id: z.string().min(1),
  title: text,
  status: text,
  mediaType: text,
  fileSize: z.unknown().optional(),
  webuiLink: text,
  pageId: text,
  blogPostId: text,
  customContentId: text,
  version: newVersion,
});
export const attachmentFile = newAttachment;
export const attachments = z.object({ results: z.array(newAttachment.nullable().catch(null)), ...more });
export const users = z.object({
  results: z.array(z.object({ accountId: z.string(), displayName: text, publicName: text })),
});

/** Converts an attachment of the v2 API to the shape that a search returns. */
export const toListedAttachment = (file: z.infer<typeof newAttachment>): Attachment => ({
  id: file.id,
  title: file.title,
  version: { number: file.version?.number, when: file.version?.createdAt ?? null, by: null },
  extensions: { mediaType: file.mediaType, fileSize: file.fileSize },
  _links: { webui: file.webuiLink },
});
