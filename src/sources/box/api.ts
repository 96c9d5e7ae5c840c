import { z } from 'zod';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { readToken, withToken } from '#src/upstream/tokens.ts';
import type { BoxSettings } from './settings.ts';

const API = 'https://api.box.com/2.0';
const TOKENS = 'https://api.box.com/oauth2/token';
/** Maximum number of items per page of a folder listing, according to Box's documentation. */
const PAGE = 1000;
const FIELDS = 'type,id,name,size,sha1,etag,content_modified_at,modified_at,created_by,owned_by';

const user = z.object({ login: z.string().nullish(), name: z.string().nullish() }).nullish();

const item = z.object({
  type: z.string(),
  id: z.string(),
  name: z.string().nullish(),
  size: z.unknown().optional(),
  sha1: z.string().nullish(),
  etag: z.string().nullish(),
  content_modified_at: z.string().nullish(),
  modified_at: z.string().nullish(),
  created_by: user,
  owned_by: user,
});
export type BoxItem = z.infer<typeof item>;
const items = z.object({ entries: z.array(item), next_marker: z.string().nullish() });

export function createBoxApi(settings: BoxSettings, { http: httpFor, tokens }: SourceDeps) {
  const http = httpFor({ name: 'Box', redirects: 'follow' });
  const { authentication_mechanism: mechanism, developer_token: fixed, client_id, client_secret } = settings;

  async function requestToken() {
    const { user_id, enterprise_id } = settings;
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client_id!,
      client_secret: client_secret!,
      box_subject_type: user_id ? 'user' : 'enterprise',
      box_subject_id: (user_id || enterprise_id)!,
    });
    const response = await http.fetch(TOKENS, { method: 'POST', body });
    if (!response.ok) {
      const fields = user_id ? 'user_id' : 'enterprise_id';
      throw await http.failure(response, `a token for client_id, client_secret and ${fields}`);
    }
    return readToken(http, response);
  }

  async function get(path: string): Promise<Response> {
    const ask = (token: string) =>
      http.fetch(`${API}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (mechanism === 'ccg') return withToken(tokens, 'access', requestToken, ask);
    const response = await ask(fixed!);
    if (response.status !== 401) return response;
    throw await http.failure(response, 'a request with this developer_token');
  }

  return {
    /** Lists one page of a folder's items. Returns `undefined` if the folder does not exist. */
    async listItems(folderId: string, marker: string | null) {
      const query = new URLSearchParams({ fields: FIELDS, usemarker: 'true', limit: String(PAGE) });
      if (marker !== null) query.set('marker', marker);
      const response = await get(`/folders/${encodeURIComponent(folderId)}/items?${query}`);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok) throw await http.failure(response, `the items of folder ${folderId}`);
      return http.json(response, items);
    },
    async readContent(fileId: string): Promise<SourceContent | undefined> {
      const response = await get(`/files/${encodeURIComponent(fileId)}/content`);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (response.status === 202) {
        await response.body?.cancel();
        const retryAfter = Number(response.headers.get('retry-after')) || undefined;
        throw new SourceError(`Box has not prepared file ${fileId} for download yet.`, {
          retryable: true,
          retryAfter,
        });
      }
      if (!response.ok) throw await http.failure(response, `file ${fileId}`);
      return { body: http.body(response), version: null, contentType: null };
    },
  };
}
