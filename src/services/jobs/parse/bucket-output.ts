import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { DataSource, Delivery, ParseJob } from '#src/db/schema/index.ts';
import { baseUrl } from '#src/lib/base-url.ts';
import { DomainError, NotFound, Upstream } from '#src/lib/errors.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { findBucketSource, openSourceBucket, SCHEME, splitObjectPath } from '../buckets.ts';
import { ATTEMPT_LIMITS } from '../kinds.ts';
import { DOWNLOAD_FORMATS, DOWNLOADS } from './results/downloads.ts';
import { getScreenshotName } from './results/images.ts';
import { findResult, type ParseResult } from './results/open.ts';

// Writes the results of a parse job to a bucket of the caller. It uses the credentials and endpoint of an S3
// data source of the project, and writes only within the data source's prefix.

/**
 * Splits `output_bucket_path_prefix`, with or without scheme, into bucket and prefix. Returns `undefined` if
 * it names no bucket or contains `.` or `..` as a path segment.
 */
export function parseOutputLocation(path: string): { bucket: string; prefix: string } | undefined {
  const { bucket, key } = splitObjectPath(path.startsWith(SCHEME) ? path.slice(SCHEME.length) : path);
  const prefix = baseUrl(key);
  const isClean = !prefix.split('/').some((part) => part === '.' || part === '..');
  return bucket === '' || !isClean ? undefined : { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

export function findOutputSource(
  ctx: Context,
  projectId: string,
  { bucket, prefix }: { bucket: string; prefix: string },
): Promise<DataSource | undefined> {
  return findBucketSource(ctx, projectId, bucket, (settings) => prefix.startsWith(settings.prefix ?? ''));
}

export const NO_OUTPUT_SOURCE = 'the project has no S3 data source for this bucket and prefix.';

type ReadColumns = Pick<ParseJob, 'fileId' | 'contentHash' | 'configHash' | 'pageCount'>;

/**
 * Writes the results of a job that is about to complete. Returns null if the job requests no delivery.
 * Rejects on a temporary failure, so that the job is retried. A permanent failure, or a failure of the last
 * attempt, is stored in the returned delivery, and the job still completes.
 */
export async function deliverResults(
  ctx: Context,
  job: ParseJob,
  read: ReadColumns,
  hold: HeldLease,
): Promise<Delivery | null> {
  const { output_bucket_path_prefix: path, output_bucket_region: region } = job.configuration;
  const place = typeof path === 'string' && path !== '' ? parseOutputLocation(path) : undefined;
  if (!place) return null;
  const result = findResult(ctx, { ...job, ...read, status: 'COMPLETED' })!;
  const prefix = `${place.prefix}${job.id}/`;
  const delivery: Delivery = { bucket: place.bucket, prefix, objects: [], error: null };
  try {
    const source = await findOutputSource(ctx, job.projectId, place);
    if (!source) throw new NotFound(`S3 data source for ${place.bucket}/${place.prefix}`);
    const bucket = await openSourceBucket(ctx, source, typeof region === 'string' ? region : null);
    for await (const { name, contentType, bytes } of listOutputs(ctx, result)) {
      await hold.checkpoint(`delivering ${name}`);
      const size = await bucket.write(prefix + name, bytes, contentType);
      delivery.objects.push({ key: prefix + name, size_bytes: size, content_type: contentType });
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // `job.attempt` is the number of the previous attempt, so one is added.
    const isLast = job.attempt + 1 >= ATTEMPT_LIMITS.parse.attempts;
    if (error instanceof Upstream && error.retryable && !isLast) throw error;
    delivery.error = error.message;
  }
  return delivery;
}

interface Output {
  name: string;
  contentType: string;
  bytes: AsyncIterable<Uint8Array>;
}

/** Yields the files to write: the result in every download format, and its images. */
async function* listOutputs(ctx: Context, result: ParseResult): AsyncGenerator<Output> {
  for (const format of DOWNLOAD_FORMATS) {
    const { exists, bytes, contentType, extension } = DOWNLOADS[format];
    if (exists && !(await exists(result))) continue;
    yield { name: `result.${extension}`, contentType, bytes: bytes(result) };
  }
  const { projectId, contentHash } = result.job;
  const wanted = resolveParsePlan(result.parameters).images;
  for await (const { index, figures, layoutImages = [] } of result.pages()) {
    const saved = [
      ...(wanted.screenshots
        ? [{ name: getScreenshotName(index), key: keys.screenshot(projectId, contentHash!, index) }]
        : []),
      ...(wanted.figures
        ? figures.map(({ name }) => ({ name, key: keys.figure(projectId, contentHash!, `${index}/${name}`) }))
        : []),
      ...layoutImages.map(({ name, box }) => ({
        name,
        key: keys.layoutImage(projectId, contentHash!, index, box),
      })),
    ];
    for (const { name, key } of saved) {
      const object = await ctx.bucket.get(key);
      if (!object) continue;
      const contentType = object.httpMetadata?.contentType ?? 'application/octet-stream';
      yield { name: `images/${name}`, contentType, bytes: object.body };
    }
  }
}
