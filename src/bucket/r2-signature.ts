import { AwsClient } from 'aws4fetch';
import type { Settings } from '#src/settings/settings.ts';
import type { PresignedUrl } from './presigned-url.ts';

interface Credentials {
  accountId: string;
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
}

/** Returns the credentials of R2's S3 API, or `undefined` if they are not configured completely. */
export function getS3Credentials(settings: Settings): Credentials | undefined {
  const {
    R2_ACCOUNT_ID: accountId,
    R2_ACCESS_KEY_ID: accessKeyId,
    R2_SECRET_ACCESS_KEY: secretAccessKey,
    R2_BUCKET: bucket,
  } = settings;
  if (!accountId || !accessKeyId || !secretAccessKey || !bucket) return undefined;
  return { accountId, accessKeyId, secretAccessKey, bucket };
}

/**
 * Presigns a URL of R2's S3 API (Signature Version 4 in the query). `answer` sets headers of the download
 * response.
 */
export async function presignObject(
  credentials: Credentials,
  method: 'GET' | 'PUT',
  key: string,
  lifetimeSeconds: number,
  answer: { contentType?: string | null; disposition?: string } = {},
): Promise<PresignedUrl> {
  const { accountId, accessKeyId, secretAccessKey, bucket } = credentials;
  const path = key.split('/').map(encodeURIComponent).join('/');
  const url = new URL(
    `https://${encodeURIComponent(accountId)}.r2.cloudflarestorage.com/${encodeURIComponent(bucket)}/${path}`,
  );
  url.searchParams.set('X-Amz-Expires', String(lifetimeSeconds));
  if (answer.contentType) url.searchParams.set('response-content-type', answer.contentType);
  if (answer.disposition) url.searchParams.set('response-content-disposition', answer.disposition);
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'auto', retries: 0 });
  const expiresAt = new Date((Math.floor(Date.now() / 1000) + lifetimeSeconds) * 1000);
  const signed = await client.sign(url.href, { method, aws: { signQuery: true } });
  return { url: signed.url, expiresAt };
}
