import aws4 from 'aws4';
import type { Refusal, Unsigned, VendorRequest } from './behaviour.ts';
import type { Settings } from './protocol.ts';

const SERVICE = 'bedrock';

/** Settings of a vendor with signed requests: `accessKeyId`, `secretAccessKey`, `region`. */
interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** AWS Signature Version 4: recomputes the signature from the request. */
export const awsSignature = {
  authenticate(request: Omit<VendorRequest, 'trouble' | 'note'>): Refusal | undefined {
    const credentials = request.settings as unknown as Credentials;
    const given = request.headers.authorization ?? '';
    const pattern =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=/;
    const [, accessKeyId, region, service, names] = pattern.exec(given) ?? [];
    if (!names) return { status: 403, message: 'Missing Authentication Token' };
    if (accessKeyId !== credentials.accessKeyId) {
      return { status: 403, message: 'The security token included in the request is invalid.' };
    }
    if (region !== credentials.region || service !== SERVICE) {
      return { status: 403, message: `Credential should be scoped to ${credentials.region} and ${SERVICE}.` };
    }
    if (!names.split(';').includes('x-amz-date')) return { status: 403, message: 'the date is not signed' };
    const headers = Object.fromEntries(names.split(';').map((name) => [name, request.headers[name] ?? '']));
    const computed = signed({ ...request, url: request.url.href, body: request.text, headers }, credentials);
    return computed === given.replaceAll(/, ?/g, ', ')
      ? undefined
      : {
          status: 403,
          message: 'The request signature we calculated does not match the signature you provided.',
        };
  },
  sign(request: Unsigned, settings: Settings): Record<string, string> {
    const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const headers = { host: new URL(request.url).host, 'x-amz-date': date };
    const authorization = signed({ ...request, headers }, settings as unknown as Credentials);
    return { 'x-amz-date': date, authorization };
  },
};

/** Returns the expected Authorization header. */
function signed({ method, url, headers, body }: Unsigned, credentials: Credentials): string {
  const { host, pathname, search } = new URL(url);
  const request = {
    ...{ service: SERVICE, region: credentials.region, method, host, path: pathname + search, body },
    headers: { ...headers },
    // Ignores headers that the library would add but the client has not signed.
    extraHeadersToIgnore: { 'content-length': true, 'content-type': !('content-type' in headers) },
  };
  const { headers: made } = aws4.sign(request as Parameters<typeof aws4.sign>[0], credentials);
  return String((made as Record<string, unknown>).Authorization);
}
