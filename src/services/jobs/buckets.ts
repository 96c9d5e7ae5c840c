import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type DataSource, dataSources } from '#src/db/schema/index.ts';
import { openComponent } from '#src/services/connections/data-sources.ts';
import { openBucket } from '#src/sources/s3/open-bucket.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';

// Scheme of bucket addresses. Jobs read and write buckets with the credentials of the project's S3 data
// sources.

export const SCHEME = 's3://';
/** Maximum number of the project's data sources that are examined to find one for a bucket. */
const MAX_SOURCES = 50;

type BucketSettings = Record<string, string | null | undefined>;

/** Returns the newest data source of the bucket for which `isSuitable` is true. */
export async function findBucketSource(
  ctx: Context,
  projectId: string,
  bucket: string,
  isSuitable: (settings: BucketSettings) => boolean,
): Promise<DataSource | undefined> {
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
    .limit(MAX_SOURCES);
  return found.find(({ component }) => isSuitable(component as BucketSettings));
}

export async function openSourceBucket(ctx: Context, source: DataSource, region: string | null | undefined) {
  const deps = { tokens: createMemoryTokens(), log: ctx.log, limits: ctx.settings };
  return openBucket(await openComponent(ctx, source), deps, region);
}

/** Splits `bucket/key` into bucket and key. */
export function splitObjectPath(bare: string): { bucket: string; key: string } {
  const at = bare.indexOf('/');
  return at < 0 ? { bucket: bare, key: '' } : { bucket: bare.slice(0, at), key: bare.slice(at + 1) };
}
