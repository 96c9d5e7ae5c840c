import { createHmac } from 'node:crypto';

// Server side of the part of the Azure Blob protocol that the source driver uses. Signatures follow the
// documentation (Authorize with Shared Key). Tests in test/process check the driver against Azurite.

export interface ListedName {
  name: string;
  etag: string;
  size: number | string;
  modifiedAt: string;
  metadata?: Record<string, string>;
}

export interface BlobRefusal {
  status: number;
  code: string;
}

const SIGNED_HEADERS = [
  ...['content-encoding', 'content-language', 'content-length', 'content-md5', 'content-type', 'date'],
  ...['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'],
];
const MOST_SKEW_MS = 15 * 60_000;

interface Unsigned {
  method: string;
  url: string;
  headers: Headers;
}

/** Returns the error for a request with a wrong signature. `key` is Base64. */
export function refusalOfKey(request: Request, account: string, key: string): BlobRefusal | undefined {
  const given = request.headers.get('authorization') ?? '';
  const sentAt = Date.parse(request.headers.get('x-ms-date') ?? '');
  const isTimely = Math.abs(Date.now() - sentAt) < MOST_SKEW_MS;
  if (isTimely && given === signWithSharedKey(request, account, key)) return undefined;
  return { status: 403, code: 'AuthenticationFailed' };
}

/** Returns the value of the `Authorization` header. */
export const signWithSharedKey = (request: Unsigned, account: string, key: string): string =>
  `SharedKey ${account}:${hmac(key, textToSign(request, account))}`;

/** Returns the query of a shared access signature that can list and read one container. */
export function containerSignature(account: string, key: string, container: string, endsAt: Date): string {
  const fields = { sp: 'rl', se: `${endsAt.toISOString().slice(0, 19)}Z`, sv: '2021-12-02', sr: 'c' };
  const resource = `/blob/${account}/${container}`;
  const { sp, se, sv, sr } = fields;
  const text = [sp, '', se, resource, '', '', '', sv, sr, '', '', '', '', '', '', ''].join('\n');
  return String(new URLSearchParams({ ...fields, sig: hmac(key, text) }));
}

const hmac = (key: string, text: string) =>
  createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');

function textToSign({ method, url, headers }: Unsigned, account: string): string {
  let text = `${method}\n`;
  for (const name of SIGNED_HEADERS) text += `${headers.get(name) ?? ''}\n`;
  const own = [...headers.keys()].filter((name) => name.startsWith('x-ms-'));
  for (const name of own.sort()) text += `${name}:${headers.get(name)!.trim()}\n`;
  const address = /^https?:\/\/[^/]+([^?#]*)(?:\?([^#]*))?/.exec(url)!;
  text += `/${account}${address[1]}`;
  const parameters = new Map<string, string[]>();
  for (const part of (address[2] ?? '').split('&').filter(Boolean)) {
    const [name = '', value = ''] = part.split(/=(.*)/).map(decodeURIComponent);
    const values = parameters.get(name.toLowerCase()) ?? [];
    parameters.set(name.toLowerCase(), [...values, value]);
  }
  for (const name of [...parameters.keys()].sort()) {
    text += `\n${name}:${parameters.get(name)!.sort().join(',')}`;
  }
  return text;
}

const isInXml = (name: string) => !/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(name);

/** Returns one page of List Blobs as XML. */
export function blobListingXml(blobs: ListedName[], query: URLSearchParams, pageSize: number): string {
  const prefix = query.get('prefix') ?? '';
  const marker = query.get('marker') ?? '';
  const after = marker ? Buffer.from(marker, 'base64').toString() : '';
  const limit = Math.min(pageSize, Number(query.get('maxresults') ?? 5000));
  const all = blobs
    .filter(({ name }) => name.startsWith(prefix) && (!marker || name > after))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const page = all.slice(0, limit);
  const next = all.length > page.length ? Buffer.from(page.at(-1)!.name).toString('base64') : '';
  const listed = page.map(({ name, etag, size, modifiedAt, metadata = {} }) => {
    const shown = isInXml(name)
      ? `<Name>${escapeXml(name)}`
      : `<Name Encoded="true">${encodeURIComponent(name)}`;
    const pairs = Object.entries(metadata).map(([key, value]) => `<${key}>${escapeXml(value)}</${key}>`);
    return `<Blob>${shown}</Name><Properties><Last-Modified>${escapeXml(modifiedAt)}</Last-Modified>
      <Etag>${etag}</Etag><Content-Length>${escapeXml(String(size))}</Content-Length>
      <Content-Type>text/plain</Content-Type><BlobType>BlockBlob</BlobType></Properties>
      <Metadata>${pairs.join('')}</Metadata></Blob>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="c"><MaxResults>${limit}</MaxResults>
    <Blobs>${listed.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`;
}

/** Returns an error response with the code in a header and, if the method allows one, in the body. */
export function blobError({ status, code }: BlobRefusal, headers: Record<string, string> = {}): Response {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}\nRequestId:1</Message></Error>`;
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/xml', 'x-ms-error-code': code, ...headers },
  });
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
