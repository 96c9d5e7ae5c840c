import type { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';

export const notionFields = {
  integration_token: secret(),
  database_ids: field
    .text()
    .describe('Ids or URLs of databases, separated by commas. Their pages are read with all subpages.'),
  page_ids: field
    .text()
    .describe(
      'Ids or URLs of pages, separated by commas. They are read with all subpages. Without page_ids and database_ids, everything that is shared with the integration is read.',
    ),
};

export type NotionSettings = z.infer<z.ZodObject<typeof notionFields>>;

export type RootField = 'page_ids' | 'database_ids';
export interface Root {
  id: string;
  field: RootField;
}

const MAX_ROOTS = 1_000;
/** Matches a Notion id at the end of a text: 32 hexadecimal digits. URLs contain the id after the title. */
const ID_AT_END =
  /(?:^|[^0-9a-f])([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/**
 * Returns the configured pages and databases. An empty list means everything that is shared with the
 * integration. Throws a SourceError that names the invalid setting.
 */
export function parseRoots(settings: NotionSettings): Root[] {
  const roots = (['page_ids', 'database_ids'] as const).flatMap((field) =>
    parseRootList(settings[field] ?? '', field),
  );
  if (roots.length > MAX_ROOTS)
    throw createSettingError('page_ids', `and database_ids together contain more than ${MAX_ROOTS} ids`);
  return roots.filter(({ id }, index) => roots.findIndex((other) => other.id === id) === index);
}

function parseRootList(list: string, field: RootField): Root[] {
  const parts = list
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.map((part) => {
    const id = parseId(part, field);
    if (id === undefined) {
      throw createSettingError(
        field,
        'must contain ids of 32 hexadecimal digits or URLs that end in such an id',
      );
    }
    return { id, field };
  });
}

function parseId(part: string, field: RootField): string | undefined {
  const url = URL.parse(part);
  // The URL of a page that is opened next to a database has the page id in its query, because the path
  // contains the database id.
  const shown = field === 'page_ids' ? url?.searchParams.get('p') : undefined;
  const [, ...groups] = ID_AT_END.exec(shown || (url?.pathname ?? part)) ?? [];
  return groups.length === 5 ? groups.join('-').toLowerCase() : undefined;
}

const createSettingError = (field: string, what: string) =>
  new SourceError(`${field} ${what}.`, { retryable: false });
