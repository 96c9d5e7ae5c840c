import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';
import { withToken } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import type { Purpose, Vendor } from '#test/suites/source-vendor.ts';

// Fictional drive with features that a bucket lacks: stable ids, tokens, permissions and web URLs.

const ORIGIN = 'http://drive.test';
const CLIENT_SECRET = 'client-secret-of-the-suite';

const file = z.object({
  id: z.string(),
  path: z.string(),
  size: z.unknown(),
  changed: z.string(),
  revision: z.string(),
  link: z.string(),
  sharing: z.record(z.string(), z.unknown()).nullish(),
});
const page = z.object({ files: z.array(file), next: z.string().nullish() });
const grant = z.object({ access_token: z.string(), expires_in: z.number() });

type Settings = { client_id: string; client_secret: string };

function openDrive({ client_id, client_secret }: Settings, { http: httpFor, tokens }: SourceDeps) {
  const http = httpFor({ name: 'The drive' });
  async function refresh() {
    const body = new URLSearchParams({ client_id, client_secret });
    const response = await http.fetch(`${ORIGIN}/token`, { method: 'POST', body });
    if (!response.ok) throw await http.failure(response, 'a token for client_id and client_secret');
    const { access_token, expires_in } = await http.json(response, grant);
    return { token: access_token, expiresAt: Date.now() + expires_in * 1000 };
  }
  const get = (path: string) =>
    withToken(tokens, 'access', refresh, (token) =>
      http.fetch(`${ORIGIN}${path}`, { headers: { authorization: `Bearer ${token}` } }),
    );
  return {
    async list(cursor: string | null) {
      const response = await get(`/files${cursor === null ? '' : `?after=${encodeURIComponent(cursor)}`}`);
      if (!response.ok) throw await http.failure(response, 'the list of files');
      return http.json(response, page);
    },
    async read(id: string) {
      const response = await get(`/files/content?id=${encodeURIComponent(id)}`);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok) throw await http.failure(response, 'a file');
      return { body: http.body(response), version: response.headers.get('x-revision'), contentType: null };
    },
  };
}

const drive = defineSource({
  kind: 'SOURCE_4_DRIVE',
  title: 'Drive of the suite',
  client: { word: 'SUITE_DRIVE', className: 'SuiteDrive' },
  fields: { client_id: z.string(), client_secret: secret() },
  capabilities: { versionNamesContent: false, permissions: true, webUrls: true },
  open(settings, deps) {
    const api = openDrive(settings, deps);
    return {
      read: api.read,
      async list(cursor) {
        const { files, next } = await api.list(cursor);
        const entries = files.map(({ id, path, size, changed, revision, link, sharing }) => ({
          id,
          name: path.slice(path.lastIndexOf('/') + 1),
          path,
          size: typeof size === 'number' ? size : null,
          version: revision,
          modifiedAt: new Date(changed),
          webUrl: link,
          permissions: sharing ?? null,
          metadata: {},
        }));
        return { entries, cursor: next ?? null };
      },
    };
  },
  async check(settings, deps) {
    if (!settings.client_id) throw new SourceError('client_id is empty.', { retryable: false });
    await openDrive(settings, deps).list(null);
  },
});

function classifyRequest(request: Request): Purpose {
  const { pathname } = new URL(request.url);
  if (pathname === '/token') return 'token';
  return pathname === '/files' ? 'list' : 'read';
}

async function answer(request: Request, vendor: Vendor): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname === '/token') {
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
    if (form.get('client_secret') !== CLIENT_SECRET) return Response.json({ error: 'no' }, { status: 401 });
    const token = `token-${crypto.randomUUID()}`;
    vendor.tokens.add(token);
    return Response.json({ access_token: token, expires_in: 3600 });
  }
  const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
  if (!vendor.tokens.has(token)) return Response.json({ error: `void: ${token}` }, { status: 401 });
  if (url.pathname === '/files') return Response.json(pageAfter(url.searchParams.get('after'), vendor));
  const item = vendor.items.get(url.searchParams.get('id')!);
  return item
    ? new Response(item.bytes, { headers: { 'x-revision': computeRevision(item.bytes) } })
    : Response.json({ error: 'gone' }, { status: 404 });
}

const computeRevision = (bytes: Uint8Array) => `r${bytes.reduce((sum, byte) => (sum * 31 + byte) % 1e9, 7)}`;

function pageAfter(after: string | null, vendor: Vendor): z.input<typeof page> {
  const all = [...vendor.items.values()]
    .filter(({ id }) => after === null || id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const shown = all.slice(0, vendor.pageSize);
  const files = shown.map(({ id, path, bytes, size, modifiedAt, permissions }) => ({
    id,
    path,
    size,
    changed: modifiedAt,
    revision: computeRevision(bytes),
    link: `https://drive.test/open/${encodeURIComponent(id)}`,
    sharing: permissions ?? null,
  }));
  return { files, next: all.length > shown.length ? shown.at(-1)!.id : null };
}

sourceSuite({
  definition: drive,
  settings: { client_id: 'client', client_secret: CLIENT_SECRET },
  secrets: [CLIENT_SECRET, 'token-'],
  wrong: { client_id: { client_id: '' }, client_secret: { client_secret: 'another' } },
  classifyRequest,
  answer,
  idsArePaths: false,
  givesTokens: true,
});
