import aws4 from 'aws4';
import { describe, expect, it } from 'vitest';
import { getS3Credentials, presignObject } from '#src/bucket/r2-signature.ts';
import type { Settings } from '#src/settings/settings.ts';

const settings = {
  R2_ACCOUNT_ID: '0123456789abcdef',
  R2_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  R2_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  R2_BUCKET: 'sluice-files',
} as Settings;

/** The signature that another implementation of Signature Version 4 gives the same request. */
function independentSignature(signed: URL, method: string): string | null {
  const unsigned = new URL(signed);
  for (const name of ['X-Amz-Signature', 'X-Amz-Credential', 'X-Amz-Algorithm', 'X-Amz-SignedHeaders']) {
    unsigned.searchParams.delete(name);
  }
  const query = [...unsigned.searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  const request = aws4.sign(
    {
      host: signed.host,
      path: `${signed.pathname}?${query}`,
      method,
      service: 's3',
      region: 'auto',
      signQuery: true,
    },
    { accessKeyId: settings.R2_ACCESS_KEY_ID!, secretAccessKey: settings.R2_SECRET_ACCESS_KEY! },
  );
  return new URL(`https://${request.host}${request.path}`).searchParams.get('X-Amz-Signature');
}

describe('R2 presigned URLs', () => {
  it('are disabled unless every setting is present', () => {
    expect(getS3Credentials(settings)).toBeDefined();
    for (const name of Object.keys(settings)) {
      expect(getS3Credentials({ ...settings, [name]: undefined })).toBeUndefined();
    }
  });

  it.each([
    ['PUT', 'projects/p/files/f/u', {}],
    [
      'GET',
      'projects/p/files/f/u',
      { disposition: `attachment; filename="a b.pdf"; filename*=UTF-8''a%20b%E2%82%AC.pdf` },
    ],
    ['GET', 'projects/p/parsed/h/figures/0%2Fimage (1)*.png', { contentType: 'image/png' }],
  ] as const)('match an independent implementation: %s %s', async (method, key, answer) => {
    const before = Date.now();
    const { url, expiresAt } = await presignObject(getS3Credentials(settings)!, method, key, 900, answer);
    const signed = new URL(url);
    expect(signed.host).toBe('0123456789abcdef.r2.cloudflarestorage.com');
    expect(decodeURIComponent(signed.pathname)).toBe(`/sluice-files/${key}`);
    expect(signed.searchParams.get('X-Amz-Expires')).toBe('900');
    // The signature names whole seconds.
    expect(expiresAt.getTime()).toBeGreaterThan(before + 900_000 - 1_000);
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 900_000);
    expect(signed.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(signed.searchParams.get('X-Amz-Signature')).toBe(independentSignature(signed, method));
    expect(independentSignature(signed, method === 'GET' ? 'PUT' : 'GET')).not.toBe(
      signed.searchParams.get('X-Amz-Signature'),
    );
  });
});
