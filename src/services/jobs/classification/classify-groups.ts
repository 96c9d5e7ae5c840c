import { and, asc, count, desc, eq, max, min, sql } from 'drizzle-orm';
import { type ClassifyConfiguration, withClassifyDefaults } from '#src/classification/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type ClassifyJob, classifyJobs, type JobStatus } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { BadRequest, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { filesByIds } from '#src/services/files/files.ts';
import { adoptPresignedUpload } from '#src/services/files/pending-uploads.ts';
import { languageFor } from '#src/services/models/language.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import type { WebhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { announceJob, endpointsOf, recordJobs } from '../create.ts';

/**
 * Maximum number of events per group. Every file has one event per endpoint, and all are inserted in one
 * step.
 */
const MOST_EVENTS = 1000;

/**
 * Classification jobs of several files that were requested together. A group exists as long as one of its
 * jobs does.
 */
export interface ClassifyGroup {
  /** UUID without prefix. */
  id: string;
  /** First job of the group. The jobs differ only in their file. */
  first: ClassifyJob;
  /** Number of jobs by status. */
  counts: Partial<Record<JobStatus, number>>;
  updatedAt: Date;
  /** Error of a failed job, or null. */
  errorMessage: string | null;
}

interface NewGroup {
  configuration: ClassifyConfiguration;
  fileIds: string[];
  webhookConfigurations: WebhookConfiguration[];
}

/** Creates one job for each distinct file, all or none. */
export async function createClassifyGroup(ctx: TenantContext, input: NewGroup): Promise<ClassifyGroup> {
  const fileIds = [...new Set(input.fileIds.map(bareId))];
  if (fileIds.length * input.webhookConfigurations.length > MOST_EVENTS) {
    throw new BadRequest(
      `inputs_invalid: webhook configurations times files may be at most ${MOST_EVENTS} a job`,
    );
  }
  const ids = fileIds.map(() => newId('cls'));
  const [endpoints] = await Promise.all([
    endpointsOf(ctx, { webhook_configurations: input.webhookConfigurations }),
    requireFiles(ctx, fileIds),
    // Fails now instead of creating jobs that fail, if the project has used its daily tokens.
    languageFor(ctx, ctx.projectId, 'classify'),
  ]);
  await inParallel(ids, (id) => announceJob(ctx, 'classify', id));
  const configuration = withClassifyDefaults(input.configuration);
  const groupId = bareId(ids[0]!);
  const rows = ids.map((id, index) => ({
    id,
    fileInput: fileIds[index]!,
    documentInputType: 'file_id',
    fileId: fileIds[index]!,
    configuration,
    groupId,
  }));
  const [first] = await recordJobs<ClassifyJob>(ctx, 'classify', rows, endpoints);
  const counts = { PENDING: ids.length };
  return { id: groupId, first: first!, counts, updatedAt: first!.updatedAt, errorMessage: null };
}

async function requireFiles(ctx: TenantContext, ids: string[]): Promise<void> {
  const found = await filesByIds(ctx, ids);
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) {
    throw new BadRequest(`File ID ${missing} is not in Project ID ${ctx.projectId}`);
  }
  const adopted = await inParallel([...found.values()], (row) => adoptPresignedUpload(ctx, row));
  const empty = adopted.find(({ storageKey }) => !storageKey);
  if (empty) throw new BadRequest(`inputs_invalid: the content of file ${empty.id} has not arrived yet`);
}

export async function getClassifyGroup(ctx: TenantContext, id: string): Promise<ClassifyGroup> {
  const [first] = await ctx.db
    .select()
    .from(classifyJobs)
    .where(and(eq(classifyJobs.groupId, id), withinScope(ctx, classifyJobs.projectId)))
    .orderBy(asc(classifyJobs.id))
    .limit(1);
  if (!first) throw new NotFound('Classify job');
  const [group] = await withCounts(ctx, [first]);
  return group!;
}

/** Returns the jobs of a group in the order of its files. */
export async function jobsOfGroup(ctx: TenantContext, id: string): Promise<ClassifyJob[]> {
  const rows = await ctx.db
    .select()
    .from(classifyJobs)
    .where(and(eq(classifyJobs.groupId, id), withinScope(ctx, classifyJobs.projectId)))
    .orderBy(asc(classifyJobs.id));
  if (rows.length === 0) throw new NotFound('Classify job');
  return rows;
}

/** Lists the project's groups, newest first. A group is listed by its first job. */
export async function pageOfClassifyGroups(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<ClassifyGroup>> {
  const key = readPageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db
    .select()
    .from(classifyJobs)
    .where(
      and(
        eq(classifyJobs.projectId, ctx.projectId),
        // A group has the id of its first job.
        sql`${classifyJobs.id} = 'cls-' || ${classifyJobs.groupId}`,
        following([classifyJobs.createdAt, classifyJobs.id], key, 'desc'),
      ),
    )
    .orderBy(desc(classifyJobs.createdAt), desc(classifyJobs.id))
    .limit(pageSize + 1);
  const page = pageOf(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]);
  return { ...page, items: await withCounts(ctx, page.items) };
}

async function withCounts(ctx: TenantContext, firsts: ClassifyJob[]): Promise<ClassifyGroup[]> {
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
    .where(isOneOf(classifyJobs.groupId, ids))
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
