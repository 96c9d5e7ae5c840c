import { eq } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { projects } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { uploadFromUrl } from '#src/services/files/from-url.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { isBucketObject, uploadFromBucket } from './bucket-input.ts';
import { getJobTable, type Job } from './kinds.ts';
import { openInput } from './url-input.ts';

/**
 * Downloads a job's URL or bucket object into a file of the project and returns the job with this file. Later
 * attempts reuse the file.
 */
export async function fetchInput<Row extends Job>(
  ctx: Context,
  kind: JobKind,
  job: Row,
  hold: HeldLease,
): Promise<Row> {
  if (job.fileId) return job;
  await hold.checkpoint('fetching the input');
  const [tenant, input] = await Promise.all([createCreatorContext(ctx, job), openInput(ctx, job)]);
  const file = isBucketObject(input)
    ? await uploadFromBucket(tenant, input, getRegion(job))
    : await uploadFromUrl(tenant, { url: input });
  const table = getJobTable(kind);
  await ctx.db.update(table).set({ fileId: file.id, sealedInput: null }).where(eq(table.id, job.id));
  return { ...job, fileId: file.id };
}

/** Returns a tenant context that acts for the user who created the job. */
async function createCreatorContext(ctx: Context, job: Job): Promise<TenantContext> {
  const project = await ctx.db.query.projects.findFirst({ where: eq(projects.id, job.projectId) });
  if (!project) throw new BadRequest(`inputs_invalid: project ${job.projectId} was deleted`);
  const { organizationId } = project;
  return {
    ...ctx,
    actor: {
      userId: job.userId,
      organizationId,
      keyId: null,
      projectId: project.id,
      organizationOnly: true,
      role: 'member',
      scope: 'write',
    },
    organizationId,
    projectId: project.id,
    onlyProjectId: project.id,
    onlyOrganizationId: organizationId,
  };
}

function getRegion({ configuration }: Job): string | null {
  const { input_bucket_region: region } = configuration;
  return typeof region === 'string' ? region : null;
}
