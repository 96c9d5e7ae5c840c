import { z } from 'zod';

/** Creates the schema of a list. List elements that do not match `schema` are left out. */
export const lenientList = <T>(schema: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all) =>
    all.flatMap((each) => {
      const { data } = schema.safeParse(each);
      return data === undefined ? [] : [data];
    }),
  );

const text = z.string().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);

const span = z.object({
  type: text,
  plain_text: text,
  href: text,
  annotations: z.object({ bold: flag, italic: flag, strikethrough: flag, code: flag }).nullish().catch(null),
  equation: z.object({ expression: z.string() }).nullish().catch(null),
});
export type Span = z.infer<typeof span>;
/** Schema of a formatted text as a list of spans. Malformed text becomes an empty list. */
export const richText = lenientList(span).catch([]);

const rawParent = z.looseObject({ type: text }).nullish().catch(null);

export interface Parent {
  kind: 'page' | 'database' | 'block';
  id: string;
}

/**
 * Returns the parent of a Notion object, or `null` at the top of the workspace. The parent of a database row
 * is the database, not the data source.
 */
export function getParent(parent: z.infer<typeof rawParent>): Parent | null {
  for (const kind of ['database', 'page', 'block'] as const) {
    const id = parent?.[`${kind}_id`];
    if (typeof id === 'string') return { kind, id };
  }
  return null;
}

const property = z.looseObject({ type: z.string() });
export type Property = z.infer<typeof property>;

export const page = z.object({
  id: z.string().min(1),
  last_edited_time: z.string(),
  created_time: text,
  url: text,
  parent: rawParent,
  archived: flag,
  in_trash: flag,
  properties: z
    .record(z.string(), z.unknown())
    .catch({})
    .transform((all) =>
      Object.entries(all).flatMap(([name, each]): [string, Property][] => {
        const { data } = property.safeParse(each);
        return data ? [[name, data]] : [];
      }),
    ),
});
export type Page = z.infer<typeof page>;

/** Result of Notion's search. A result is a page or a data source of a database. */
export const found = z.union([
  page.extend({ object: z.literal('page'), database_parent: rawParent }),
  z.object({
    object: z.literal('data_source'),
    id: z.string().min(1),
    parent: rawParent,
    /** Parent of the database that contains the Notion data source. */
    database_parent: rawParent,
    archived: flag,
    in_trash: flag,
  }),
]);
export type Found = z.infer<typeof found>;

export const block = z.looseObject({
  id: z.string().min(1),
  type: z.string(),
  has_children: flag,
  last_edited_time: text,
  parent: rawParent,
  archived: flag,
  in_trash: flag,
});
export type Block = z.infer<typeof block>;

const body = z
  .looseObject({
    rich_text: richText,
    caption: richText,
    title: text,
    url: text,
    name: text,
    file: z.object({ url: z.string() }).nullish().catch(null),
    external: z.object({ url: z.string() }).nullish().catch(null),
  })
  .catch({ rich_text: [], caption: [], title: null, url: null, name: null, file: null, external: null });
export type BlockBody = z.infer<typeof body>;

/**
 * Returns the content of a Notion block. Notion stores the content in a field named after the block's type.
 */
export const parseBody = (found: Block): BlockBody =>
  body.parse(Object.hasOwn(found, found.type) ? found[found.type] : {});

const row = z.object({ cells: lenientList(z.unknown()) });
const MAX_CELLS = 200;
export const parseCells = (found: unknown): Span[][] =>
  (row.safeParse(found).data?.cells ?? []).slice(0, MAX_CELLS).map((cell) => richText.parse(cell));

export const database = z.object({
  title: richText,
  parent: rawParent,
  archived: flag,
  in_trash: flag,
  data_sources: lenientList(z.object({ id: z.string().min(1) })),
});

/** Returns whether a Notion page or data source is archived or in the trash. */
export const isGone = (found: Pick<Page, 'archived' | 'in_trash'>): boolean =>
  found.archived === true || found.in_trash === true;
