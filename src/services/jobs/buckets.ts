import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type DataSource, dataSources } from '#src/db/schema/index.ts';
import { openComponent } from '#src/services/connections/data-sources.ts';
import { openBucket } from '#src/sources/s3/open-bucket.ts';
import { memoryTokens } from '#src/upstream/tokens.ts';

// Buckets that jobs read and write: those of the project's bucket data sources, whose credentials are used.

export const SCHEME = 's3://';
/** Sources of one bucket that are looked at. */
const MOST_SOURCES = 50;

type BucketSettings = Record<string, string | null | undefined>;

/** The newest data source of the bucket that suits. */
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

/** Of `bucket/key`. */
export function partsOf(bare: string): { bucket: string; key: string } {
  const at = bare.indexOf('/');
  return at < 0 ? { bucket: bare, key: '' } : { bucket: bare.slice(0, at), key: bare.slice(at + 1) };
}
