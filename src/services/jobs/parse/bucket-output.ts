import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { DataSource, Delivery, ParseJob } from '#src/db/schema/index.ts';
import { baseUrl } from '#src/lib/base-url.ts';
import { DomainError, NotFound, Upstream } from '#src/lib/errors.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { Hold } from '#src/work/hold.ts';
import { openBucketOf, partsOf, SCHEME, sourceOfBucket } from '../buckets.ts';
import { LIMITS } from '../kinds.ts';
import { DOWNLOAD_FORMATS, DOWNLOADS } from './results/downloads.ts';
import { screenshotName } from './results/images.ts';
import { findResult, type ParseResult } from './results/open.ts';

// Writes the results of a parse job to a bucket of the caller. It uses the credentials and endpoint of a
// bucket data source of the project, and only writes within that source's prefix.

/**
 * Splits `output_bucket_path_prefix`, with or without a scheme, into bucket and prefix. Undefined if it names
 * no bucket or has `.` or `..` as a part.
 */
export function outputPlace(path: string): { bucket: string; prefix: string } | undefined {
  const { bucket, key } = partsOf(path.startsWith(SCHEME) ? path.slice(SCHEME.length) : path);
  const prefix = baseUrl(key);
  const isClean = !prefix.split('/').some((part) => part === '.' || part === '..');
  return bucket === '' || !isClean ? undefined : { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

export function sourceOfOutput(
  ctx: Context,
  projectId: string,
  { bucket, prefix }: { bucket: string; prefix: string },
): Promise<DataSource | undefined> {
  return sourceOfBucket(ctx, projectId, bucket, (settings) => prefix.startsWith(settings.prefix ?? ''));
}

export const NO_OUTPUT_SOURCE = 'no bucket data source of the project has this bucket and prefix.';

type Read = Pick<ParseJob, 'fileId' | 'contentHash' | 'configHash' | 'pageCount'>;

/**
 * Writes the results of a job that is about to complete. A temporary failure rejects, so that the job is
 * tried again. A permanent failure, or that of the last attempt, is stored in the job, which keeps its
 * results. Returns null if the job requests no delivery.
 */
export async function deliverResults(
  ctx: Context,
  job: ParseJob,
  read: Read,
  hold: Hold,
): Promise<Delivery | null> {
  const { output_bucket_path_prefix: path, output_bucket_region: region } = job.configuration;
  const place = typeof path === 'string' && path !== '' ? outputPlace(path) : undefined;
  if (!place) return null;
  const result = findResult(ctx, { ...job, ...read, status: 'COMPLETED' })!;
  const prefix = `${place.prefix}${job.id}/`;
  const delivery: Delivery = { bucket: place.bucket, prefix, objects: [], error: null };
  try {
    const source = await sourceOfOutput(ctx, job.projectId, place);
    if (!source) throw new NotFound(`Bucket data source for ${place.bucket}/${place.prefix}`);
    const bucket = await openBucketOf(ctx, source, typeof region === 'string' ? region : null);
    for await (const { name, contentType, bytes } of outputsOf(ctx, result)) {
      await hold.checkpoint(`delivering ${name}`);
      const size = await bucket.write(prefix + name, bytes, contentType);
      delivery.objects.push({ key: prefix + name, size_bytes: size, content_type: contentType });
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // The running attempt is one more than the job's row states.
    const isLast = job.attempt + 1 >= LIMITS.parse.attempts;
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

/** Yields every form of the result and its saved pictures. */
async function* outputsOf(ctx: Context, result: ParseResult): AsyncGenerator<Output> {
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
        ? [{ name: screenshotName(index), key: keys.screenshot(projectId, contentHash!, index) }]
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
