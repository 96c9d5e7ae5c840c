import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type AuditEvent, auditEvents } from '#src/db/schema/index.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { requireAdmin } from '#src/services/tenancy/memberships.ts';
import { requireOrganization } from '#src/services/tenancy/request-scope.ts';

export interface AuditFilter {
  user_id?: string | null;
  changed_project_id?: string | null;
  operation?: string | null;
  object_id?: string | null;
  outcome?: 'success' | 'failure' | null;
  /** Earliest time, inclusive. */
  from?: string | null;
  /** Latest time, exclusive. */
  to?: string | null;
}

/** Days before now, or before `to`, that a filter searches if it names neither an object nor `from`. */
const SEARCHED_DAYS = 90;

/**
 * Returns the earliest time that a filter searches, or `undefined` if it is the beginning of the log. Only times
 * and objects have an index. Without a limit, a filter by another field would read the whole log.
 */
export function getSearchStart(filter: AuditFilter): Date | undefined {
  if (filter.from) return toStart(Date.parse(filter.from));
  const { user_id, changed_project_id, operation, outcome, object_id } = filter;
  if (object_id || !(user_id || changed_project_id || operation || outcome)) return undefined;
  const end = filter.to ? Date.parse(filter.to) : Date.now();
  return toStart(end - SEARCHED_DAYS * DAY_MS);
}

/** Years before 0 have another format in answers, and no event is older than 1970. */
const toStart = (time: number) => new Date(Math.max(0, time));

const KEY = [auditEvents.createdAt, auditEvents.id] as const;
type EventKey = readonly [time: number, id: string];
const getKey = ({ createdAt, id }: Pick<AuditEvent, 'createdAt' | 'id'>): EventKey => [
  createdAt.getTime(),
  id,
];

/**
 * Maximum number of events that one query compares with a filter. Only times and objects have an index, so a filter by
 * another field that few events match could otherwise read the whole log in one query.
 */
export const EVENTS_PER_SEARCH = 10_000;

/** Number of events per query of an export. */
const EVENTS_PER_READ = 1_000;

/** Page of the audit log. A page that has reached the limit of a search may be empty although another page follows. */
export interface AuditPage extends Page<AuditEvent> {
  /** Earliest time that was searched. `undefined` if it is the beginning of the log. */
  searchedFrom: Date | undefined;
}

/** Returns a page of an organization's audit log, newest first. Only its admins may read the log. */
export async function getAuditPage(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter & { page_size?: number | null; page_token?: string | null },
): Promise<AuditPage> {
  await requireAuditReader(ctx, organizationId);
  const size = filter.page_size ?? DEFAULT_PAGE_SIZE;
  const after = parsePageToken(filter.page_token, ['number', 'string']);
  const { events, end } = await search(ctx, organizationId, filter, after, size + 1);
  const page = buildPage(events, size, getKey);
  if (page.next_page_token || !end) return { ...page, searchedFrom: getSearchStart(filter) };
  return { ...page, next_page_token: encodeCursor(end), searchedFrom: new Date(end[0]) };
}

/** Yields the events of an organization in batches, newest first. Only its admins may read the log. */
export async function exportAudit(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter,
): Promise<AsyncGenerator<AuditEvent[]>> {
  await requireAuditReader(ctx, organizationId);
  return iterateEvents(ctx, organizationId, filter);
}

async function* iterateEvents(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter,
): AsyncGenerator<AuditEvent[]> {
  for (let after: EventKey | undefined; ; ) {
    const { events, end } = await search(ctx, organizationId, filter, after, EVENTS_PER_READ);
    yield events;
    after = events.length === EVENTS_PER_READ ? getKey(events.at(-1)!) : end;
    if (!after) return;
  }
}

async function requireAuditReader(ctx: TenantContext, organizationId: string): Promise<void> {
  await requireOrganization(ctx, organizationId);
  await requireAdmin(ctx, organizationId);
}

interface Found {
  events: AuditEvent[];
  /** Key of the last event that was compared with the filter. `undefined` if no further events exist. */
  end: EventKey | undefined;
}

/** Returns up to `limit` matching events that follow `after`. Searches a limited part of the log. */
async function search(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter,
  after: EventKey | undefined,
  limit: number,
): Promise<Found> {
  const start = getSearchStart(filter);
  const inIndex = and(
    eq(auditEvents.organizationId, organizationId),
    filter.object_id ? eq(auditEvents.objectId, filter.object_id) : undefined,
    start && gte(auditEvents.createdAt, start),
    filter.to ? lt(auditEvents.createdAt, new Date(filter.to)) : undefined,
    afterKey(KEY, after, 'desc'),
  );
  const others = and(
    filter.user_id ? eq(auditEvents.userId, filter.user_id) : undefined,
    filter.changed_project_id ? eq(auditEvents.projectId, filter.changed_project_id) : undefined,
    filter.operation ? eq(auditEvents.operation, filter.operation) : undefined,
    filter.outcome ? eq(auditEvents.outcome, filter.outcome) : undefined,
  );
  const orderBy = [desc(auditEvents.createdAt), desc(auditEvents.id)];
  const { createdAt, id } = auditEvents;
  const [last] = others
    ? await ctx.db
        .select({ createdAt, id })
        .from(auditEvents)
        .where(inIndex)
        .orderBy(...orderBy)
        .limit(1)
        .offset(EVENTS_PER_SEARCH - 1)
    : [];
  const end = last && getKey(last);
  const isSearched = end && sql`(${createdAt}, ${id}) >= (${end[0]}, ${end[1]})`;
  const where = and(inIndex, others, isSearched);
  return { events: await ctx.db.query.auditEvents.findMany({ where, orderBy, limit }), end };
}
