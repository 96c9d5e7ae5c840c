import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { applicationToken } from '#src/sources/shared/microsoft-token.ts';
import { withToken } from '#src/upstream/tokens.ts';
import { accessOf } from './access.ts';
import { blobOfHeaders, type ListedBlob, type Listing, readListing, versionOf } from './listing.ts';
import type { BlobSettings } from './settings.ts';

/** The headers from Content-Encoding to Range in the string to sign. Read requests send none of them. */
const EMPTY_HEADERS = Array<string>(11).fill('');

/** Storage REST API version. From 2021-02-12 on, listings escape names that XML cannot represent. */
const VERSION = '2025-11-05';
const GONE = ['BlobNotFound', 'PathNotFound'];
const ARCHIVED = ['BlobArchived', 'BlobBeingRehydrated'];
/** Error codes caused by a wrong `container_name`. */
const OF_CONTAINER = [
  'ContainerNotFound',
  'ContainerBeingDeleted',
  'ContainerDisabled',
  'InvalidResourceName',
];
/** Maximum clock difference in minutes. Azure accepts signatures for 15 minutes. */
const MOST_SKEW_MINUTES = 14;

const RESOURCE = 'https://storage.azure.com';

export function blobContainer(settings: BlobSettings, deps: Pick<SourceDeps, 'http' | 'tokens'>) {
  const http = deps.http({ name: 'Azure Blob Storage' });
  const identity = deps.http({ name: 'The identity platform of Microsoft' });

  async function ask(method: 'GET' | 'HEAD', blob: string, query: Record<string, string>): Promise<Response> {
    const { container, credentials } = accessOf(settings);
    const url = new URL(container);
    if (blob !== '') url.pathname += `/${blob.split('/').map(encodeURIComponent).join('/')}`;
    // Encode spaces as %20, because Azure does not read a plus as a space when it computes the signature.
    const own = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    url.search = [...own, ...(credentials.kind === 'signature' ? [credentials.query] : [])].join('&');
    const headers = { 'x-ms-version': VERSION, 'x-ms-date': new Date().toUTCString() };
    const send = (authorization?: string) =>
      http.fetch(url, { method, headers: { ...headers, ...(authorization && { authorization }) } });
    if (credentials.kind === 'key') return send(await sharedKey(method, url, headers, credentials));
    if (credentials.kind !== 'application') return send();
    const refresh = () => applicationToken(credentials, RESOURCE, identity);
    return withToken(deps.tokens, 'access', refresh, (token) => send(`Bearer ${token}`));
  }

  async function refusal(response: Response, what: string): Promise<Error> {
    const { status, headers } = response;
    const { kind, fields } = accessOf(settings).credentials;
    const code = codeOf(response);
    const minutes = Math.round((Date.now() - Date.parse(headers.get('date') ?? '')) / 60_000);
    if (kind === 'key' && code === 'AuthenticationFailed' && Math.abs(minutes) > MOST_SKEW_MINUTES) {
      const message = `Azure Blob Storage refuses signatures of a clock that differs from its own by ${minutes} minutes.`;
      return new SourceError(message, { retryable: true, status });
    }
    const isRefused = [401, 403, 409].includes(status) || code === 'ResourceNotFound';
    const field = OF_CONTAINER.includes(code) ? 'container_name' : isRefused ? fields : '';
    const hints = [code, field && `see ${field}`].filter(Boolean).join(', ');
    // The body repeats the error code and adds request numbers, so it is dropped when there is a code.
    const told = code === '' ? response : new Response(null, { status, headers });
    if (told !== response) await response.body?.cancel();
    return http.failure(told, `${what}${hints && ` (${hints})`}`);
  }

  return {
    async list(query: Record<string, string>): Promise<Listing> {
      const response = await ask('GET', '', {
        restype: 'container',
        comp: 'list',
        include: 'metadata',
        ...query,
      });
      if (!response.ok) throw await refusal(response, `the list of container ${settings.container_name}`);
      return readListing(await http.text(response));
    },
    /** Returns `undefined` if the blob does not exist. */
    async describe(name: string): Promise<ListedBlob | undefined> {
      const response = await ask('HEAD', askable(name), {});
      if (response.ok) return blobOfHeaders(name, response.headers);
      if (GONE.includes(codeOf(response))) return undefined;
      throw await refusal(response, `what is known of blob ${name}`);
    },
    async read(name: string): Promise<SourceContent | undefined> {
      const response = await ask('GET', askable(name), {});
      const code = codeOf(response);
      if (response.ok) {
        return {
          body: http.body(response),
          version: versionOf(response.headers.get('etag')),
          contentType: response.headers.get('content-type'),
        };
      }
      if (GONE.includes(code) || ARCHIVED.includes(code)) await response.body?.cancel();
      if (GONE.includes(code)) return undefined;
      if (!ARCHIVED.includes(code)) throw await refusal(response, `blob ${name}`);
      const message = `The blob ${name} is in the archive tier, where it cannot be read until it is moved to another (${code}).`;
      throw new SourceError(message, { retryable: false, status: response.status });
    },
  };
}

/**
 * Returns an Azure error code such as `BlobNotFound`. Returns an empty string if the response did not come
 * from Azure.
 */
const codeOf = ({ headers }: Response): string =>
  /^[A-Za-z]{1,100}$/.exec(headers.get('x-ms-error-code') ?? '')?.[0] ?? '';

function askable(name: string): string {
  if (!/(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(name)) return name;
  // URL parsing resolves `.` and `..`, escaped or not, and could reach another blob or container. Azure
  // treats a backslash as a slash.
  const message = `The blob ${name} cannot be asked for: a part of its name is . or ..`;
  throw new SourceError(message, { retryable: false });
}

/**
 * Computes the Shared Key `authorization` header for a request without a body. Names in `headers` must be
 * lower case.
 */
async function sharedKey(
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
