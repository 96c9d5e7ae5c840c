import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { readBindings } from '../../server/service/bindings.ts';

/**
 * Computes the id of a named Durable Object in the same way as Miniflare: 16 bytes derived from the name,
 * then 16 bytes that bind them to the class.
 */
function objectId(className: string, name: string): string {
  const key = createHash('sha256').update(className).digest();
  const sign = (data: string | Buffer) => createHmac('sha256', key).update(data).digest().subarray(0, 16);
  const named = sign(name);
  return Buffer.concat([named, sign(named)]).toString('hex');
}

/**
 * Returns the path of the SQLite file in which Miniflare stores a D1 database or the index of an R2 bucket.
 */
const sqliteFile = (state: string, kind: 'd1' | 'r2', className: string, name: string): string =>
  join(state, 'v3', kind, className, `${objectId(className, name)}.sqlite`);

/** Returns the path of the D1 database of a state folder. The file may not exist. */
export const databaseFile = (state: string): string =>
  sqliteFile(state, 'd1', 'miniflare-D1DatabaseObject', readBindings().d1Databases.DB!);

/**
 * Returns the paths at which Miniflare stores the R2 bucket of a state folder: the index of objects, and the
 * folder with their contents.
 */
export function bucketFiles(state: string): { index: string; blobs: string } {
  const bucket = readBindings().r2Buckets.FILES!;
  return {
    index: sqliteFile(state, 'r2', 'miniflare-R2BucketObject', bucket),
    blobs: join(state, 'v3', 'r2', bucket, 'blobs'),
  };
}
