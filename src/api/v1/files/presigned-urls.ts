import { z } from 'zod';
import { timestamp } from '#src/api/operation/schemas.ts';
import { MAX_LIFETIME_SECONDS, type PresignedUrl } from '#src/bucket/presigned-url.ts';

export const presignedUrlBody = z
  .object({
    url: z.url(),
    expires_at: timestamp,
    form_fields: z
      .record(z.string(), z.string())
      .nullish()
      .describe('Always null. Send the bytes as the body of the request.'),
  })
  .meta({ id: 'PresignedUrl' });

export const lifetimeQuery = z.object({
  expires_at_seconds: z
    .number()
    .int()
    .min(1)
    .max(MAX_LIFETIME_SECONDS)
    .nullish()
    .describe('Lifetime of the URL in seconds. Default: one hour.'),
});

export function presentUrl({ url, expiresAt }: PresignedUrl): z.input<typeof presignedUrlBody> {
  return { url, expires_at: expiresAt.toISOString(), form_fields: null };
}

/** Returns the origin of the request. Returned URLs are based on it unless PUBLIC_URL is set. */
export const getOrigin = (request: Request) => new URL(request.url).origin;
