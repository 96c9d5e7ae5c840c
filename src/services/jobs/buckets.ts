import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type DataSource, dataSources } from '#src/db/schema/index.ts';
import { openComponent } from '#src/services/connections/data-sources.ts';
import { openBucket } from '#src/sources/s3/open-bucket.ts';
import { memoryTokens } from '#src/upstream/tokens.ts';

// Scheme of bucket addresses. Jobs read and write buckets through the project's bucket data sources and their
// credentials.

export const SCHEME = 's3://';
/** Maximum number of data sources of one bucket that are considered. */
const MOST_SOURCES = 50;

type BucketSettings = Record<string, string | null | undefined>;

/** Returns the newest suitable data source of the bucket. */
export async function sourceOfBucket(
  ctx: Context,
  projectId: string,
  bucket: string,
  suits: (settings: BucketSettings) => boolean,
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
    .limit(MOST_SOURCES);
  return found.find(({ component }) => suits(component as BucketSettings));
}

export async function openBucketOf(ctx: Context, source: DataSource, region: string | null | undefined) {
  const deps = { tokens: memoryTokens(), log: ctx.log, limits: ctx.settings };
  return openBucket(await openComponent(ctx, source), deps, region);
}

/** Splits `bucket/key`. */
export function partsOf(bare: string): { bucket: string; key: string } {
  const at = bare.indexOf('/');
  return at < 0 ? { bucket: bare, key: '' } : { bucket: bare.slice(0, at), key: bare.slice(at + 1) };
}
