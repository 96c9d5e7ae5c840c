import { and, asc, count, desc, eq, max, min, sql } from 'drizzle-orm';
import { applyClassifyDefaults, type ClassifyConfiguration } from '#src/classification/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type ClassifyJob, classifyJobs, type JobStatus } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { BadRequest, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { findFiles } from '#src/services/files/files.ts';
import { adoptPresignedUpload } from '#src/services/files/pending-uploads.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import type { WebhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { announceJob, insertJobs, resolveEndpoints } from '../create.ts';

/**
 * Maximum number of webhook events per group. Each file has one event per endpoint, and all events are
 * inserted in one batch.
 */
const MAX_EVENTS = 1000;

/**
 * Classification jobs of several files that were requested together. A group exists as long as one of its
 * jobs exists.
 */
export interface ClassifyGroup {
  /** Id of the group: the id of its first job without prefix. */
  id: string;
  /** First job of the group. The other jobs differ from it only in their files. */
  first: ClassifyJob;
  counts: Partial<Record<JobStatus, number>>;
  updatedAt: Date;
  /** Error message of one of the failed jobs. Null if no job failed. */
  errorMessage: string | null;
}

interface NewGroup {
  configuration: ClassifyConfiguration;
  fileIds: string[];
  webhookConfigurations: WebhookConfiguration[];
}

/** Creates one job for each distinct file. Either all jobs are created or none. */
export async function createClassifyGroup(ctx: TenantContext, input: NewGroup): Promise<ClassifyGroup> {
  const fileIds = [...new Set(input.fileIds.map(bareId))];
  if (fileIds.length * input.webhookConfigurations.length > MAX_EVENTS) {
    throw new BadRequest(
      `inputs_invalid: the number of files times the number of webhook configurations must be at most ${MAX_EVENTS}`,
    );
  }
  const ids = fileIds.map(() => newId('cls'));
  const [endpoints] = await Promise.all([
    resolveEndpoints(ctx, { webhook_configurations: input.webhookConfigurations }),
    requireFiles(ctx, fileIds),
    // Throws if the project has used its daily tokens. Otherwise the jobs would be created and fail.
    getLanguageModel(ctx, ctx.projectId, 'classify'),
  ]);
  await inParallel(ids, (id) => announceJob(ctx, 'classify', id));
  const configuration = applyClassifyDefaults(input.configuration);
  const groupId = bareId(ids[0]!);
  const rows = ids.map((id, index) => ({
    id,
    fileInput: fileIds[index]!,
    documentInputType: 'file_id',
    fileId: fileIds[index]!,
    configuration,
    groupId,
  }));
  const [first] = await insertJobs<ClassifyJob>(ctx, 'classify', rows, endpoints);
  const counts = { PENDING: ids.length };
  return { id: groupId, first: first!, counts, updatedAt: first!.updatedAt, errorMessage: null };
}

/** Throws unless all files exist in the caller's scope and have been uploaded. */
export async function requireFiles(ctx: TenantContext, ids: string[]): Promise<void> {
  const found = await findFiles(ctx, ids);
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) {
    throw new BadRequest(`File ID ${missing} is not in Project ID ${ctx.projectId}`);
  }
  const adopted = await inParallel([...found.values()], (row) => adoptPresignedUpload(ctx, row));
  const empty = adopted.find(({ storageKey }) => !storageKey);
  if (empty)
    throw new BadRequest(`inputs_invalid: the content of file ${empty.id} has not been uploaded yet`);
}

export async function getClassifyGroup(ctx: TenantContext, id: string): Promise<ClassifyGroup> {
  const [first] = await ctx.db
    .select()
    .from(classifyJobs)
    .where(and(eq(classifyJobs.groupId, id), withinScope(ctx, classifyJobs.projectId)))
    .orderBy(asc(classifyJobs.id))
    .limit(1);
  if (!first) throw new NotFound('Classify job');
  const [group] = await toGroups(ctx, [first]);
  return group!;
}

export async function listGroupJobs(ctx: TenantContext, id: string): Promise<ClassifyJob[]> {
  const rows = await ctx.db
    .select()
    .from(classifyJobs)
    .where(and(eq(classifyJobs.groupId, id), withinScope(ctx, classifyJobs.projectId)))
    .orderBy(asc(classifyJobs.id));
  if (rows.length === 0) throw new NotFound('Classify job');
  return rows;
}

/** Returns a page of the project's groups, newest first. */
export async function getClassifyGroupPage(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<ClassifyGroup>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db
    .select()
    .from(classifyJobs)
    .where(
      and(
        eq(classifyJobs.projectId, ctx.projectId),
        sql`${classifyJobs.id} = 'cls-' || ${classifyJobs.groupId}`,
        afterKey([classifyJobs.createdAt, classifyJobs.id], key, 'desc'),
      ),
    )
    .orderBy(desc(classifyJobs.createdAt), desc(classifyJobs.id))
    .limit(pageSize + 1);
  const page = buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
  return { ...page, items: await toGroups(ctx, page.items) };
}

async function toGroups(ctx: TenantContext, firsts: ClassifyJob[]): Promise<ClassifyGroup[]> {
  const ids = firsts.map(({ groupId }) => groupId!);
  const rows = await ctx.db
    .select({
      groupId: classifyJobs.groupId,
      status: classifyJobs.status,
      jobs: count(),
      updatedAt: max(classifyJobs.updatedAt),
      errorMessage: min(classifyJobs.errorMessage),
    })
    .from(classifyJobs)
    .where(isInList(classifyJobs.groupId, ids))
    .groupBy(classifyJobs.groupId, classifyJobs.status);
  return firsts.map((first) => {
    const own = rows.filter(({ groupId }) => groupId === first.groupId);
    return {
      id: first.groupId!,
      first,
      counts: Object.fromEntries(own.map(({ status, jobs }) => [status, jobs])),
      updatedAt: new Date(Math.max(...own.map(({ updatedAt }) => updatedAt?.getTime() ?? 0))),
      errorMessage: own.find(({ errorMessage }) => errorMessage)?.errorMessage ?? null,
    };
  });
}
