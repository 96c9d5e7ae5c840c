import aws4 from 'aws4';

// Server side of the part of the S3 protocol that the source driver uses.

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface ListedKey {
  key: string;
  etag: string;
  size: number | string;
  modifiedAt: string;
}

interface Signed {
  method: string;
  /** Path with its query. */
  path: string;
  host: string;
  headers: Record<string, unknown>;
}

export interface Refusal {
  status: number;
  code: string;
  headers?: Record<string, string>;
}

/** Returns the error for a signature that an independent library does not compute. */
export function buildRefusal(
  { method, path, host, headers }: Signed,
  region: string,
  credentials: S3Credentials,
): Refusal | undefined {
  const given = String(headers.authorization ?? '');
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d+\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+)/.exec(
      given,
    );
  if (!match) return { status: 403, code: 'AccessDenied' };
  const [, accessKey, signedFor, signedHeaders] = match as unknown as [string, string, string, string];
  if (accessKey !== credentials.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
  if (signedFor !== region) {
    return {
      status: 400,
      code: 'AuthorizationHeaderMalformed',
      headers: { 'x-amz-bucket-region': region },
    };
  }
  const computed = aws4.sign(
    {
      service: 's3',
      region,
      method,
      host,
      path,
      headers: Object.fromEntries(
        signedHeaders.split(';').map((name) => [name, name === 'host' ? host : String(headers[name])]),
      ),
      doNotModifyHeaders: false,
    },
    credentials,
  );
  const readSignature = (header: string) => /Signature=([0-9a-f]+)/.exec(header)?.[1];
  const expected = String(computed.headers?.Authorization ?? computed.headers?.authorization);
  if (readSignature(expected) === readSignature(given)) return undefined;
  return { status: 403, code: 'SignatureDoesNotMatch' };
}

/** Returns one page of ListObjectsV2 as XML. */
export function listingXml(
  bucket: string,
  objects: ListedKey[],
  query: URLSearchParams,
  pageSize: number,
): string {
  const prefix = query.get('prefix') ?? '';
  const token = query.get('continuation-token');
  const after = token ? Buffer.from(token, 'base64').toString() : '';
  const limit = Math.min(pageSize, Number(query.get('max-keys') ?? 1000));
  const isEncoded = query.get('encoding-type') === 'url';
  const shown = (key: string) =>
    isEncoded ? encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/') : escapeXml(key);
  // Compares keys by UTF-8 bytes, as S3 orders them.
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const all = objects
    .filter(({ key }) => key.startsWith(prefix) && compare(key, after) > 0)
    .sort((a, b) => compare(a.key, b.key));
  const page = all.slice(0, limit);
  const isTruncated = all.length > page.length;
  const next = isTruncated ? Buffer.from(page.at(-1)!.key).toString('base64') : '';
  const contents = page.map(
    ({ key, etag, size, modifiedAt }) =>
      `<Contents><Key>${shown(key)}</Key><LastModified>${escapeXml(modifiedAt)}</LastModified>
        <ETag>&quot;${etag}&quot;</ETag><Size>${escapeXml(String(size))}</Size></Contents>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
    <Name>${bucket}</Name><KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>
    ${isEncoded ? '<EncodingType>url</EncodingType>' : ''}
    ${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${contents.join('')}</ListBucketResult>`;
}

export const errorXml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
