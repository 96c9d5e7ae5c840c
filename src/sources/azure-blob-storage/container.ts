import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { requestApplicationToken } from '#src/sources/shared/microsoft-token.ts';
import { withToken } from '#src/upstream/tokens.ts';
import { resolveAccess } from './access.ts';
import { type ListedBlob, type Listing, normalizeEtag, readBlobHeaders, readListing } from './listing.ts';
import type { BlobSettings } from './settings.ts';

/**
 * Values of the headers from Content-Encoding to Range in the text that is signed. They are empty because
 * read requests do not send these headers.
 */
const EMPTY_HEADERS = Array<string>(11).fill('');

/**
 * Version of Azure's storage REST API. From version 2021-02-12 on, listings escape blob names that XML cannot
 * represent.
 */
const VERSION = '2025-11-05';
const GONE = ['BlobNotFound', 'PathNotFound'];
const ARCHIVED = ['BlobArchived', 'BlobBeingRehydrated'];
/** Azure error codes that a wrong `container_name` causes. */
const CONTAINER_ERRORS = [
  'ContainerNotFound',
  'ContainerBeingDeleted',
  'ContainerDisabled',
  'InvalidResourceName',
];
/**
 * Clock difference in minutes above which an authentication failure is attributed to the clock. Azure accepts
 * signatures for 15 minutes.
 */
const MAX_SKEW_MINUTES = 14;

const RESOURCE = 'https://storage.azure.com';

export function createContainerClient(settings: BlobSettings, deps: Pick<SourceDeps, 'http' | 'tokens'>) {
  const http = deps.http({ name: 'Azure Blob Storage' });
  const identity = deps.http({ name: 'Microsoft Entra ID' });

  async function sendRequest(
    method: 'GET' | 'HEAD',
    blob: string,
    query: Record<string, string>,
  ): Promise<Response> {
    const { container, credentials } = resolveAccess(settings);
    const url = new URL(container);
    if (blob !== '') url.pathname += `/${blob.split('/').map(encodeURIComponent).join('/')}`;
    // Spaces in the query are encoded as %20, because Azure does not treat a plus sign as a space when it
    // computes the signature.
    const own = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    url.search = [...own, ...(credentials.kind === 'signature' ? [credentials.query] : [])].join('&');
    const headers = { 'x-ms-version': VERSION, 'x-ms-date': new Date().toUTCString() };
    const send = (authorization?: string) =>
      http.fetch(url, { method, headers: { ...headers, ...(authorization && { authorization }) } });
    if (credentials.kind === 'key') return send(await signSharedKey(method, url, headers, credentials));
    if (credentials.kind !== 'application') return send();
    const refresh = () => requestApplicationToken(credentials, RESOURCE, identity);
    return withToken(deps.tokens, 'access', refresh, (token) => send(`Bearer ${token}`));
  }

  async function createFailure(response: Response, what: string): Promise<Error> {
    const { status, headers } = response;
    const { kind, fields } = resolveAccess(settings).credentials;
    const code = getErrorCode(response);
    const minutes = Math.round((Date.now() - Date.parse(headers.get('date') ?? '')) / 60_000);
    if (kind === 'key' && code === 'AuthenticationFailed' && Math.abs(minutes) > MAX_SKEW_MINUTES) {
      const message = `Azure Blob Storage rejected the signature because the clock of this installation differs by ${minutes} minutes. Correct the clock.`;
      return new SourceError(message, { retryable: true, status });
    }
    const isRefused = [401, 403, 409].includes(status) || code === 'ResourceNotFound';
    const field = CONTAINER_ERRORS.includes(code) ? 'container_name' : isRefused ? fields : '';
    const hints = [code, field && `check ${field}`].filter(Boolean).join(', ');
    // The response body only repeats the error code and adds request ids. The body is therefore left out of
    // the message if the error code is known.
    const errorResponse = code === '' ? response : new Response(null, { status, headers });
    if (errorResponse !== response) await response.body?.cancel();
    return http.failure(errorResponse, `${what}${hints && ` (${hints})`}`);
  }

  return {
    async list(query: Record<string, string>): Promise<Listing> {
      const response = await sendRequest('GET', '', {
        restype: 'container',
        comp: 'list',
        include: 'metadata',
        ...query,
      });
      if (!response.ok)
        throw await createFailure(response, `the blob list of container ${settings.container_name}`);
      return readListing(await http.text(response));
    },
    async describe(name: string): Promise<ListedBlob | undefined> {
      const response = await sendRequest('HEAD', requireRequestableName(name), {});
      if (response.ok) return readBlobHeaders(name, response.headers);
      if (GONE.includes(getErrorCode(response))) return undefined;
      throw await createFailure(response, `the properties of blob ${name}`);
    },
    async read(name: string): Promise<SourceContent | undefined> {
      const response = await sendRequest('GET', requireRequestableName(name), {});
      const code = getErrorCode(response);
      if (response.ok) {
        return {
          body: http.body(response),
          version: normalizeEtag(response.headers.get('etag')),
          contentType: response.headers.get('content-type'),
        };
      }
      if (GONE.includes(code) || ARCHIVED.includes(code)) await response.body?.cancel();
      if (GONE.includes(code)) return undefined;
      if (!ARCHIVED.includes(code)) throw await createFailure(response, `blob ${name}`);
      const message = `The blob ${name} is in the archive tier (${code}). Move it to an online tier to make it readable.`;
      throw new SourceError(message, { retryable: false, status: response.status });
    },
  };
}

/**
 * Returns the Azure error code of a response, such as `BlobNotFound`. Returns an empty string if the response
 * did not come from Azure.
 */
const getErrorCode = ({ headers }: Response): string =>
  /^[A-Za-z]{1,100}$/.exec(headers.get('x-ms-error-code') ?? '')?.[0] ?? '';

function requireRequestableName(name: string): string {
  if (!/(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(name)) return name;
  // URL parsing resolves `.` and `..` even if they are escaped, so the request could reach another blob or
  // container. Azure treats a backslash as a slash.
  const message = `The blob ${name} cannot be read because a part of its name is "." or "..".`;
  throw new SourceError(message, { retryable: false });
}

/**
 * Computes the Shared Key `authorization` header of a request without a body. Names in `headers` must be
 * lower case.
 */
async function signSharedKey(
  method: string,
  url: URL,
  headers: Record<string, string>,
  { account, key }: { account: string; key: Uint8Array<ArrayBuffer> },
): Promise<string> {
  const own = Object.keys(headers).filter((name) => name.startsWith('x-ms-'));
  const named = own.sort().map((name) => `${name}:${headers[name]}`);
  const query = [...url.searchParams].map(([name, value]) => `${name}:${value}`).sort();
  const resource = [`/${account}${url.pathname}`, ...query];
  const text = [method, ...EMPTY_HEADERS, ...named, ...resource].join('\n');
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const bytes = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text));
  return `SharedKey ${account}:${btoa(String.fromCharCode(...new Uint8Array(bytes)))}`;
}
