import { and, desc, eq, gte, lt, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import {
  afterKey,
  buildPage,
  DEFAULT_PAGE_SIZE,
  iteratePages,
  type Page,
  parsePageToken,
} from '#src/db/paging.ts';
import { type AuditEvent, auditEvents } from '#src/db/schema/index.ts';
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

const getKey = ({ createdAt, id }: AuditEvent) => [createdAt.getTime(), id] as const;

/** Returns a page of an organization's audit log, newest first. Only its admins may read the log. */
export async function getAuditPage(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter & { page_size?: number | null; page_token?: string | null },
): Promise<Page<AuditEvent>> {
  await requireAuditReader(ctx, organizationId);
  const size = filter.page_size ?? DEFAULT_PAGE_SIZE;
  const after = parsePageToken(filter.page_token, ['number', 'string']);
  return buildPage(await readEvents(ctx, organizationId, filter, after, size + 1), size, getKey);
}

/** Yields the events of an organization in batches, newest first. Only its admins may read the log. */
export async function exportAudit(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter,
): Promise<AsyncGenerator<AuditEvent[]>> {
  await requireAuditReader(ctx, organizationId);
  return iteratePages((after, limit) => readEvents(ctx, organizationId, filter, after, limit), getKey);
}

async function requireAuditReader(ctx: TenantContext, organizationId: string): Promise<void> {
  await requireOrganization(ctx, organizationId);
  await requireAdmin(ctx, organizationId);
}

function readEvents(
  ctx: TenantContext,
  organizationId: string,
  filter: AuditFilter,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<AuditEvent[]> {
  const start = getSearchStart(filter);
  const conditions: (SQL | undefined)[] = [
    eq(auditEvents.organizationId, organizationId),
    filter.user_id ? eq(auditEvents.userId, filter.user_id) : undefined,
    filter.changed_project_id ? eq(auditEvents.projectId, filter.changed_project_id) : undefined,
    filter.operation ? eq(auditEvents.operation, filter.operation) : undefined,
    filter.object_id ? eq(auditEvents.objectId, filter.object_id) : undefined,
    filter.outcome ? eq(auditEvents.outcome, filter.outcome) : undefined,
    start && gte(auditEvents.createdAt, start),
    filter.to ? lt(auditEvents.createdAt, new Date(filter.to)) : undefined,
    afterKey([auditEvents.createdAt, auditEvents.id], after, 'desc'),
  ];
  return ctx.db.query.auditEvents.findMany({
    where: and(...conditions),
    orderBy: [desc(auditEvents.createdAt), desc(auditEvents.id)],
    limit,
  });
}
