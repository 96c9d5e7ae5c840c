import { baseName } from '#src/bucket/content-disposition.ts';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { DataSource, FileRow } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { compilePattern } from '#src/lib/text/pattern.ts';
import { maxFileBytes } from '#src/services/files/content.ts';
import { storeFile } from '#src/services/files/files.ts';
import { openBucketOf, partsOf, SCHEME, sourceOfBucket } from './buckets.ts';

// Returns whether an input is an object of a bucket. Such an object is read through a bucket data source of
// the project, with its credentials and endpoint, and only within its prefix and pattern.

export const isObject = (input: string) => input.startsWith(SCHEME);

/** Returns `s3://bucket/key` for a path with or without the scheme; undefined if it names no object. */
export function objectInput(path: string): string | undefined {
  const bare = isObject(path) ? path.slice(SCHEME.length) : path;
  const { bucket, key } = partsOf(bare);
  return bucket === '' || key === '' || key.endsWith('/') ? undefined : SCHEME + bare;
}

/** Returns the newest data source that can read the object. */
export function sourceOfObject(
  ctx: Context,
  projectId: string,
  input: string,
): Promise<DataSource | undefined> {
  const { bucket, key } = partsOf(input.slice(SCHEME.length));
  return sourceOfBucket(
    ctx,
    projectId,
    bucket,
    ({ prefix, regex_pattern: pattern }) =>
      key.startsWith(prefix ?? '') && (!pattern || compilePattern(pattern).test(key)),
  );
}

/** Stores the object as a file of the project. `region` is the bucket's region, if the caller knows it. */
export async function uploadFromBucket(
  ctx: TenantContext,
  input: string,
  region: string | null | undefined,
): Promise<FileRow> {
  const { key: objectKey } = partsOf(input.slice(SCHEME.length));
  const row = await sourceOfObject(ctx, ctx.projectId, input);
  if (!row) throw new BadRequest(`inputs_invalid: input_bucket_path: ${NO_SOURCE}`);
  const content = await (await openBucketOf(ctx, row, region)).read(objectKey);
  if (!content) throw new BadRequest('inputs_invalid: input_bucket_path: the bucket has no such object.');
  const fileId = newId();
  const key = keys.upload(ctx.projectId, fileId, newId());
  const written = await writeStream(ctx.bucket, key, content.body, maxFileBytes(ctx));
  if (written.size === 0) {
    await ctx.bucket.delete(key);
    throw new BadRequest('inputs_invalid: input_bucket_path: the object is empty.');
  }
  const { contentType } = content;
  return storeFile(ctx, fileId, key, written, {
    name: baseName(objectKey) ?? 'object',
    contentType,
    resourceInfo: null,
  });
}

export const NO_SOURCE = 'no bucket data source of the project reads this object.';
