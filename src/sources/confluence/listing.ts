import { z } from 'zod';
import type { Logger } from '#src/lib/log.ts';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import { type Access, PermissionsRefused } from './access.ts';
import type { ConfluenceApi } from './api.ts';
import { idQuery, type Query } from './cql.ts';
import { attachmentEntry, isPage, type Place, pageEntry, placeOf } from './entries.ts';
import { type ConfluenceSettings, wrong } from './settings.ts';
import { asListed, attachmentsIn, type Content, content } from './wire.ts';

/** Position of a listing, stored as its cursor. */
const position = z.object({
  /** Index of the current query and the cursor in its results. `null` means the first page. */
  query: z.number(),
  cursor: z.string().nullable(),
  /** Requested page ids that the query has not returned yet. */
  missing: z.array(z.string()),
  /** Number of queries skipped because of errors. */
  skipped: z.number(),
  /**
   * Ids of pages with more attachments than a search returns. All their attachments are listed next,
   * beginning with the last page. `files` is the attachment cursor of that page.
   */
  waiting: z.array(z.string()),
  files: z.string().nullable(),
});
type Position = z.infer<typeof position>;

export interface Listing {
  api: ConfluenceApi;
  access: Access;
  settings: ConfluenceSettings;
  queries: Query[];
  log: Logger;
}

/** Lists the next pages and attachments that the queries find. */
export async function listingPage(listing: Listing, cursor: string | null): Promise<SourcePage> {
  const at = cursor === null ? startOf(listing) : positionOf(cursor);
  const work = at.waiting.length > 0 ? moreFiles : nextResults;
  const { entries, leftOut } = await work(listing, at).catch((error: unknown) => ({
    entries: passOver(listing, at, error),
    leftOut: 0,
  }));
  const isDone = at.waiting.length === 0 && at.query >= listing.queries.length;
  return { entries, cursor: isDone ? null : JSON.stringify(at), leftOut };
}

function startOf({ queries }: Listing): Position {
  return { query: 0, cursor: null, missing: queries[0]!.ids, skipped: 0, waiting: [], files: null };
}

function positionOf(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw wrong('The listing cannot go on from where it was.');
  }
}

interface Found {
  entries: SourceEntry[];
  leftOut: number;
}

async function nextResults(listing: Listing, at: Position): Promise<Found> {
  const { api, queries } = listing;
  const query = queries[at.query]!;
  if (at.cursor === null && query.space !== undefined && !(await api.space(query.space))) {
    throw noSpace(query.space);
  }
  const { results, next, _links } = await api.search(query.cql, at.cursor, query.fields);
  const { pages, leftOut } = contentIn(listing, results);
  const shown = new Set(pages.map(({ id }) => id));
  const missing = at.missing.filter((id) => !shown.has(id));
  if (next === null && missing.length > 0) {
    const error = wrong(`Confluence shows these credentials no page ${missing[0]} (page_ids).`);
    if (!skips(listing)) throw error;
    listing.log.warn('source.passed_over', { pages: missing.length, reason: error.message });
  }
  const entries: SourceEntry[] = [];
  const places = await placesOf(listing, pages, _links.base || api.site);
  for (const [page, where] of places) {
    entries.push(pageEntry(page, where, listing.settings.keep_markdown_format !== false));
    if (page.children?.attachment?._links?.next) at.waiting.push(page.id);
    else entries.push(...attachmentsIn(page).map((file) => attachmentEntry(file, where)));
  }
  if (next === null) endQuery(listing, at);
  else Object.assign(at, { cursor: next, missing });
  return { entries, leftOut };
}

function endQuery({ queries }: Listing, at: Position): void {
  at.query += 1;
  at.cursor = null;
  at.missing = queries[at.query]?.ids ?? [];
}

/** Parses the pages among search results. Unreadable results are logged, counted and left out. */
function contentIn({ log }: Listing, results: unknown[]): { pages: Content[]; leftOut: number } {
  const known = results.flatMap((each) => content.safeParse(each).data ?? []);
  const leftOut = results.length - known.length;
  if (leftOut > 0) {
    log.warn('source.passed_over', {
      results: leftOut,
      reason: 'Confluence lists content of another shape.',
    });
  }
  return { pages: known.filter(({ type }) => isPage(type)), leftOut };
}

/**
 * Returns the path and permissions of each page. Restricted pages are left out unless
 * `index_restricted_pages` is set.
 */
async function placesOf(
  { access, settings }: Listing,
  pages: Content[],
  base: string,
): Promise<[Content, Place][]> {
  const { index_restricted_pages: indexesAll } = settings;
  const isOpenToAll = settings.sync_permissions === false;
  if (indexesAll && isOpenToAll) return pages.map((page) => [page, placeIn(page, base, null)]);
  const restrictions = await access.restrictionsOn(pages);
  const wanted = pages.filter(({ id }) => indexesAll || restrictions.get(id)!.length === 0);
  const places: [Content, Place][] = [];
  for (const page of wanted) {
    const spaceId = page.space?.id;
    const permissions = isOpenToAll
      ? null
      : {
          ...(spaceId != null && { space: await access.readersOf(String(spaceId)) }),
          restrictions: restrictions.get(page.id)!,
        };
    places.push([page, placeIn(page, base, permissions)]);
  }
  return places;
}

const placeIn = (page: Content, base: string, permissions: Record<string, unknown> | null): Place =>
  placeOf(page, page.type === 'blogpost' ? 'blogpost' : 'page', base, permissions);

/**
 * Lists the next attachments of the last waiting page. The page is requested again because its path and
 * permissions may not fit into a cursor.
 */
async function moreFiles(listing: Listing, at: Position): Promise<Found> {
  const { api } = listing;
  const { results, _links } = await api.search(idQuery([at.waiting.at(-1)!]), null, '');
  const { pages } = contentIn(listing, results);
  const [found] = await placesOf(listing, pages, _links.base || api.site);
  const where = found?.[1];
  const page = where ? await api.attachments(where.kind, where.id, at.files) : { results: [], next: null };
  if (page.next === null) at.waiting.pop();
  at.files = page.next;
  const files = page.results.filter((file) => file !== null);
  const entries = files.map((file) => attachmentEntry(asListed(file), where!));
  return { entries, leftOut: page.results.length - files.length };
}

const skips = ({ settings }: Listing) => settings.failure_handling?.skip_list_failures === true;
/**
 * HTTP statuses that concern a single list. Other failures, such as invalid credentials, affect every list.
 */
const OF_ONE_LIST = [400, 403, 404];

/**
 * Skips a list that cannot be read, if `skip_list_failures` is set. Rethrows the error otherwise, if it
 * concerns every list, or if every list has failed.
 */
function passOver(listing: Listing, at: Position, error: unknown): SourceEntry[] {
  const isOfOne =
    error instanceof SourceError &&
    !error.retryable &&
    !(error instanceof PermissionsRefused) &&
    OF_ONE_LIST.includes(error.status ?? 0);
  if (!skips(listing) || !isOfOne) throw error;
  listing.log.warn('source.passed_over', { reason: error.message });
  if (at.waiting.length > 0) {
    at.waiting.pop();
    at.files = null;
    return [];
  }
  at.skipped += 1;
  if (at.skipped >= listing.queries.length) throw error;
  endQuery(listing, at);
  return [];
}

export function noSpace(key: string): SourceError {
  const message = `Confluence shows these credentials no space ${key} (space_key).`;
  return new SourceError(message, { retryable: false, status: 404 });
}
