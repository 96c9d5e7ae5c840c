import { eq } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { projects } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { uploadFromUrl } from '#src/services/files/from-url.ts';
import type { Hold } from '#src/work/hold.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { isObject, uploadFromBucket } from './bucket-input.ts';
import { type Job, jobTable } from './kinds.ts';
import { openInput } from './url-input.ts';

/**
 * Downloads a job's URL or bucket object into a file of its project. Later attempts reuse the file. Returns
 * the job with its file.
 */
export async function fetchInput<Row extends Job>(
  ctx: Context,
  kind: JobKind,
  job: Row,
  hold: Hold,
): Promise<Row> {
  if (job.fileId) return job;
  await hold.checkpoint('fetching the input');
  const [tenant, input] = await Promise.all([onBehalf(ctx, job), openInput(ctx, job)]);
  const file = isObject(input)
    ? await uploadFromBucket(tenant, input, regionOf(job))
    : await uploadFromUrl(tenant, { url: input });
  const table = jobTable(kind);
  await ctx.db.update(table).set({ fileId: file.id, sealedInput: null }).where(eq(table.id, job.id));
  return { ...job, fileId: file.id };
}

/** Returns the tenant context of a job, acting for the user who created it. */
async function onBehalf(ctx: Context, job: Job): Promise<TenantContext> {
  const project = await ctx.db.query.projects.findFirst({ where: eq(projects.id, job.projectId) });
  if (!project) throw new BadRequest(`inputs_invalid: project ${job.projectId} is gone`);
  const { organizationId } = project;
  return {
    ...ctx,
    actor: { userId: job.userId, organizationId, keyId: '', projectId: project.id, organizationOnly: true },
    organizationId,
    projectId: project.id,
    onlyProjectId: project.id,
    onlyOrganizationId: organizationId,
  };
}

function regionOf({ configuration }: Job): string | null {
  const { input_bucket_region: region } = configuration;
  return typeof region === 'string' ? region : null;
}
