import { type OpeningDeps, withHttp } from '#src/sources/shared/open.ts';
import { listSecretValues } from '#src/sources/shared/secrets.ts';
import { s3 } from './s3.ts';
import type { S3Settings } from './settings.ts';
import { createS3Store } from './store.ts';

/**
 * Opens a bucket to read or write single objects. `region` replaces the region derived from the endpoint for
 * the first request signature.
 */
export function openBucket(
  component: Record<string, unknown>,
  deps: OpeningDeps,
  region: string | null | undefined,
) {
  const opened = withHttp(listSecretValues(s3.settings, component), deps);
  return createS3Store(component as S3Settings, opened, region);
}
