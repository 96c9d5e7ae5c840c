import type { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';

export const notionFields = {
  integration_token: secret(),
  database_ids: field
    .text()
    .describe(
      'Ids or addresses of databases, separated by commas; their pages are read with all below them.',
    ),
  page_ids: field
    .text()
    .describe(
      'Ids or addresses of pages, separated by commas, read with all below them. With neither: everything that is shared with the integration.',
    ),
};

export type NotionSettings = z.infer<z.ZodObject<typeof notionFields>>;

export type RootField = 'page_ids' | 'database_ids';
export interface Root {
  id: string;
  field: RootField;
}

const MOST_ROOTS = 1_000;
/** Notion id at the end of a text: 32 hexadecimal digits. URLs have it after the title. */
const ID_AT_END =
  /(?:^|[^0-9a-f])([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/**
 * Returns the configured pages and databases. An empty list means everything shared with the integration.
 * Throws a SourceError that names the invalid setting.
 */
export function rootsOf(settings: NotionSettings): Root[] {
  const roots = (['page_ids', 'database_ids'] as const).flatMap((field) =>
    rootsIn(settings[field] ?? '', field),
  );
  if (roots.length > MOST_ROOTS) throw wrong('page_ids', `and database_ids name more than ${MOST_ROOTS}`);
  return roots.filter(({ id }, index) => roots.findIndex((other) => other.id === id) === index);
}

function rootsIn(list: string, field: RootField): Root[] {
  const parts = list
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.map((part) => {
    const id = idIn(part, field);
    if (id === undefined) {
      throw wrong(
        field,
        'has something that is neither an id of 32 hexadecimal digits nor an address that ends in one',
      );
    }
    return { id, field };
  });
}

function idIn(part: string, field: RootField): string | undefined {
  const url = URL.parse(part);
  // A page opened beside a database has its id in the query, because the path contains the id of the
  // database.
  const shown = field === 'page_ids' ? url?.searchParams.get('p') : undefined;
  const [, ...groups] = ID_AT_END.exec(shown || (url?.pathname ?? part)) ?? [];
  return groups.length === 5 ? groups.join('-').toLowerCase() : undefined;
}

const wrong = (field: string, what: string) => new SourceError(`${field} ${what}.`, { retryable: false });
