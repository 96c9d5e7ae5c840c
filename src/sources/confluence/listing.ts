import { z } from 'zod';
import type { Logger } from '#src/lib/log.ts';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import { type Access, PermissionsRefused } from './access.ts';
import type { ConfluenceApi } from './api.ts';
import { idQuery, type Query } from './cql.ts';
import { attachmentEntry, buildPageContext, isPage, type PageContext, pageEntry } from './entries.ts';
import { type ConfluenceSettings, createPermanentError } from './settings.ts';
import { type Content, content, parseAttachments, toListedAttachment } from './wire.ts';

/** Position in a listing of a Confluence site. It is stored as the cursor of the listing. */
const position = z.object({
  /**
   * Index of the current query, and the cursor in the results of this query. A `null` cursor means the first
   * page of results.
   */
  query: z.number(),
  cursor: z.string().nullable(),
  /** Ids of configured pages that the current query has not returned yet. */
  missing: z.array(z.string()),
  skipped: z.number(),
  /**
   * Ids of Confluence pages with more attachments than a search returns. The attachments of these pages are
   * listed next, beginning with the last page. `files` is the cursor in the attachment list of that page.
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

export async function listingPage(listing: Listing, cursor: string | null): Promise<SourcePage> {
  const at = cursor === null ? createStartPosition(listing) : parsePosition(cursor);
  const work = at.waiting.length > 0 ? listMoreAttachments : listNextResults;
  const { entries, leftOut } = await work(listing, at).catch((error: unknown) => ({
    entries: skipFailedList(listing, at, error),
    leftOut: 0,
  }));
  const isDone = at.waiting.length === 0 && at.query >= listing.queries.length;
  return { entries, cursor: isDone ? null : JSON.stringify(at), leftOut };
}

function createStartPosition({ queries }: Listing): Position {
  return { query: 0, cursor: null, missing: queries[0]!.ids, skipped: 0, waiting: [], files: null };
}

function parsePosition(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw createPermanentError(
      'The listing cannot continue because its stored position is invalid. Start a new sync.',
    );
  }
}

interface Found {
  entries: SourceEntry[];
  leftOut: number;
}

async function listNextResults(listing: Listing, at: Position): Promise<Found> {
  const { api, queries } = listing;
  const query = queries[at.query]!;
  if (at.cursor === null && query.space !== undefined && !(await api.space(query.space))) {
    throw createMissingSpaceError(query.space);
  }
  const { results, next, _links } = await api.search(query.cql, at.cursor, query.fields);
  const { pages, leftOut } = parsePages(listing, results);
  const shown = new Set(pages.map(({ id }) => id));
  const missing = at.missing.filter((id) => !shown.has(id));
  if (next === null && missing.length > 0) {
    const error = createPermanentError(
      `Confluence has no page ${missing[0]} (page_ids), or these credentials may not see it.`,
    );
    if (!skipsListFailures(listing)) throw error;
    listing.log.warn('source.passed_over', { pages: missing.length, reason: error.message });
  }
  const entries: SourceEntry[] = [];
  const contexts = await buildPageContexts(listing, pages, _links.base || api.site);
  for (const [page, context] of contexts) {
    entries.push(pageEntry(page, context, listing.settings.keep_markdown_format !== false));
    if (page.children?.attachment?._links?.next) at.waiting.push(page.id);
    else entries.push(...parseAttachments(page).map((file) => attachmentEntry(file, context)));
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

/**
 * Parses the Confluence pages in search results. Results that cannot be parsed are logged, counted and left
 * out.
 */
function parsePages({ log }: Listing, results: unknown[]): { pages: Content[]; leftOut: number } {
  const known = results.flatMap((each) => content.safeParse(each).data ?? []);
  const leftOut = results.length - known.length;
  if (leftOut > 0) {
    log.warn('source.passed_over', {
      results: leftOut,
      reason: 'Confluence returned content in an unexpected format.',
    });
  }
  return { pages: known.filter(({ type }) => isPage(type)), leftOut };
}

/**
 * Returns the path and permissions of each Confluence page. Restricted pages are left out unless
 * `index_restricted_pages` is set.
 */
async function buildPageContexts(
  { access, settings }: Listing,
  pages: Content[],
  base: string,
): Promise<[Content, PageContext][]> {
  const { index_restricted_pages: indexesAll } = settings;
  const isOpenToAll = settings.sync_permissions === false;
  if (indexesAll && isOpenToAll) return pages.map((page) => [page, toPageContext(page, base, null)]);
  const restrictions = await access.restrictionsOn(pages);
  const wanted = pages.filter(({ id }) => indexesAll || restrictions.get(id)!.length === 0);
  const contexts: [Content, PageContext][] = [];
  for (const page of wanted) {
    const spaceId = page.space?.id;
    const permissions = isOpenToAll
      ? null
      : {
          ...(spaceId != null && { space: await access.getSpaceReaders(String(spaceId)) }),
          restrictions: restrictions.get(page.id)!,
        };
    contexts.push([page, toPageContext(page, base, permissions)]);
  }
  return contexts;
}

const toPageContext = (
  page: Content,
  base: string,
  permissions: Record<string, unknown> | null,
): PageContext => buildPageContext(page, page.type === 'blogpost' ? 'blogpost' : 'page', base, permissions);

/**
 * Lists the next attachments of the last waiting Confluence page. The page itself is requested again, because
 * its path and permissions may not fit into a cursor.
 */
async function listMoreAttachments(listing: Listing, at: Position): Promise<Found> {
  const { api } = listing;
  const { results, _links } = await api.search(idQuery([at.waiting.at(-1)!]), null, '');
  const { pages } = parsePages(listing, results);
  const [found] = await buildPageContexts(listing, pages, _links.base || api.site);
  const context = found?.[1];
  const page = context
    ? await api.attachments(context.kind, context.id, at.files)
    : { results: [], next: null };
  if (page.next === null) at.waiting.pop();
  at.files = page.next;
  const files = page.results.filter((file) => file !== null);
  const entries = files.map((file) => attachmentEntry(toListedAttachment(file), context!));
  return { entries, leftOut: page.results.length - files.length };
}

const skipsListFailures = ({ settings }: Listing) => settings.failure_handling?.skip_list_failures === true;
/**
 * HTTP statuses of failures that affect only one list. Other failures, such as invalid credentials, affect
 * every list.
 */
const SINGLE_LIST_STATUSES = [400, 403, 404];

/**
 * Skips a list that Confluence refuses, if `skip_list_failures` is set. Rethrows the error if the setting is
 * off, the error affects every list, or every list has failed.
 */
function skipFailedList(listing: Listing, at: Position, error: unknown): SourceEntry[] {
  const isSingleList =
    error instanceof SourceError &&
    !error.retryable &&
    !(error instanceof PermissionsRefused) &&
    SINGLE_LIST_STATUSES.includes(error.status ?? 0);
  if (!skipsListFailures(listing) || !isSingleList) throw error;
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

export function createMissingSpaceError(key: string): SourceError {
  const message = `Confluence has no space ${key} (space_key), or these credentials may not see it.`;
  return new SourceError(message, { retryable: false, status: 404 });
}
