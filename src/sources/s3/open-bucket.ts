import { type OpeningDeps, withHttp } from '#src/sources/shared/open.ts';
import { secretsOf } from '#src/sources/shared/secrets.ts';
import { s3 } from './s3.ts';
import type { S3Settings } from './settings.ts';
import { s3Store } from './store.ts';

/**
 * Opens a bucket to read or write single objects. `region` replaces the region derived from the endpoint for
 * the first request signature.
 */
export function openBucket(
  component: Record<string, unknown>,
  deps: OpeningDeps,
  region: string | null | undefined,
) {
  const opened = withHttp(secretsOf(s3.settings, component), deps);
  return s3Store(component as S3Settings, opened, region);
}
