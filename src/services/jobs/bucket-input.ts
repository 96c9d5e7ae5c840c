import { getBaseName } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { DataSource, FileRow } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { maxFileBytes } from '#src/services/files/content.ts';
import { storeFile } from '#src/services/files/files.ts';
import { findBucketSource, openSourceBucket, SCHEME, splitObjectPath } from './buckets.ts';

// A job's input may be an object in an S3 bucket. It is read with the credentials of an S3 data source of the
// project. The object must be within the data source's prefix and pattern.

export const isBucketObject = (input: string) => input.startsWith(SCHEME);

/**
 * Returns `s3://bucket/key` for a path with or without the scheme. Returns `undefined` if the path names no
 * object.
 */
export function toObjectInput(path: string): string | undefined {
  const bare = isBucketObject(path) ? path.slice(SCHEME.length) : path;
  const { bucket, key } = splitObjectPath(bare);
  return bucket === '' || key === '' || key.endsWith('/') ? undefined : SCHEME + bare;
}

/** Returns the newest S3 data source of the project whose bucket, prefix and pattern cover the object. */
export function findObjectSource(
  ctx: Context,
  projectId: string,
  input: string,
): Promise<DataSource | undefined> {
  const { bucket, key } = splitObjectPath(input.slice(SCHEME.length));
  return findBucketSource(
    ctx,
    projectId,
    bucket,
    ({ prefix, regex_pattern: pattern }) =>
      key.startsWith(prefix ?? '') && (!pattern || compilePattern(pattern).test(key)),
  );
}

/**
 * Stores an object from a bucket as a file of the project. `region` is the bucket's region, if the caller
 * knows it.
 */
export async function uploadFromBucket(
  ctx: TenantContext,
  input: string,
  region: string | null | undefined,
): Promise<FileRow> {
  const { key: objectKey } = splitObjectPath(input.slice(SCHEME.length));
  const row = await findObjectSource(ctx, ctx.projectId, input);
  if (!row) throw new BadRequest(`inputs_invalid: input_bucket_path: ${NO_SOURCE}`);
  const content = await (await openSourceBucket(ctx, row, region)).read(objectKey);
  if (!content)
    throw new BadRequest('inputs_invalid: input_bucket_path: the bucket does not contain this object.');
  const fileId = newId();
  const key = keys.upload(ctx.projectId, fileId, newId());
  const written = await writeStream(ctx.bucket, key, content.body, maxFileBytes(ctx));
  if (written.size === 0) {
    await ctx.bucket.delete(key);
    throw new BadRequest('inputs_invalid: input_bucket_path: the object is empty.');
  }
  const { contentType } = content;
  return storeFile(ctx, fileId, key, written, {
    name: getBaseName(objectKey) ?? 'object',
    contentType,
    resourceInfo: null,
  });
}

export const NO_SOURCE = 'the project has no S3 data source that covers this object.';
