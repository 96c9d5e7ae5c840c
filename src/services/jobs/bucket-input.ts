import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context.ts';
import { type DataSource, dataSources, type FileRow } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/errors.ts';
import { baseName } from '#src/files/content-disposition.ts';
import { keys } from '#src/files/keys.ts';
import { writeStream } from '#src/files/object-writer.ts';
import { newId } from '#src/ids.ts';
import { compilePattern } from '#src/lib/pattern.ts';
import { openComponent } from '#src/services/connections/data-sources.ts';
import { maxFileBytes } from '#src/services/files/content.ts';
import { storeFile } from '#src/services/files/files.ts';
import { openSource } from '#src/sources/registry.ts';
import { memoryTokens } from '#src/sources/tokens.ts';

// An object of a bucket as the input of a job. It is read as a bucket data source of the project reads: with its
// credentials, at its endpoint, and only what that source's prefix and pattern let it read.

const SCHEME = 's3://';
/** Sources of one bucket that are looked at. */
const MOST_SOURCES = 50;

export const isObject = (input: string) => input.startsWith(SCHEME);

/** `s3://bucket/key` of a path with or without the scheme; undefined when it names no object. */
export function objectInput(path: string): string | undefined {
  const bare = isObject(path) ? path.slice(SCHEME.length) : path;
  const { bucket, key } = partsOf(bare);
  return bucket === '' || key === '' || key.endsWith('/') ? undefined : SCHEME + bare;
}

/** The data source that reads the object, the newest of several. */
export async function sourceOfObject(
  ctx: Context,
  projectId: string,
  input: string,
): Promise<DataSource | undefined> {
  const { bucket, key } = partsOf(input.slice(SCHEME.length));
  const found = await ctx.db
    .select()
    .from(dataSources)
    .where(
      and(
        eq(dataSources.projectId, projectId),
        eq(dataSources.sourceType, 'SOURCE_9_BUCKET'),
        sql`json_extract(${dataSources.component}, '$.bucket') = ${bucket}`,
      ),
    )
    .orderBy(desc(dataSources.createdAt))
    .limit(MOST_SOURCES);
  return found.find(({ component }) => {
    const { prefix, regex_pattern: pattern } = component as Record<string, string | null | undefined>;
    return key.startsWith(prefix ?? '') && (!pattern || compilePattern(pattern).test(key));
  });
}

/** Keeps the object as a file of the project. */
export async function uploadFromBucket(ctx: TenantContext, input: string): Promise<FileRow> {
  const { key: objectKey } = partsOf(input.slice(SCHEME.length));
  const row = await sourceOfObject(ctx, ctx.projectId, input);
  if (!row) throw new BadRequest(`inputs_invalid: input_bucket_path: ${NO_SOURCE}`);
  const deps = { tokens: memoryTokens(), log: ctx.log, limits: ctx.settings };
  const { source } = openSource(row.sourceType, await openComponent(ctx, row), deps);
  const content = await source.read(objectKey);
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

function partsOf(bare: string): { bucket: string; key: string } {
  const at = bare.indexOf('/');
  return at < 0 ? { bucket: bare, key: '' } : { bucket: bare.slice(0, at), key: bare.slice(at + 1) };
}
