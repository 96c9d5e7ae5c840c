import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { withToken } from '#src/upstream/tokens.ts';
import { versionOf } from './entry.ts';
import { exportOf } from './formats.ts';
import { type DriveItem, driveItem, driveItems, fieldsOf } from './item.ts';
import { refusalOf } from './refusal.ts';
import type { GoogleDriveSettings } from './settings.ts';
import { signIn } from './sign-in.ts';

const API = 'https://www.googleapis.com/drive/v3/files';
/** What one page may hold, by the vendor's documentation. */
const PAGE = '1000';

/** The requests that reading folders takes. Ids are of the form `ID`. */
export function driveApi(settings: GoogleDriveSettings, deps: SourceDeps) {
  const http = deps.http({ name: 'Google Drive', redirects: 'follow' });
  const fields = fieldsOf(settings.supports_access_control === true);

  /** Undefined: what is asked for is not there. */
  async function get(
    path: string,
    query: Record<string, string>,
    what: string,
  ): Promise<Response | undefined> {
    const url = `${API}${path}?${new URLSearchParams(query)}`;
    const response = await withToken(
      deps.tokens,
      'access',
      () => signIn(settings, deps),
      (token) => http.fetch(url, { headers: { authorization: `Bearer ${token}` } }),
    );
    if (response.ok) return response;
    if (response.status !== 404) throw await refusalOf(http, response, what);
    await response.body?.cancel();
    return undefined;
  }

  return {
    /** A file or a folder, without its bytes. */
    async item(id: string): Promise<DriveItem | undefined> {
      const response = await get(`/${id}`, { fields, supportsAllDrives: 'true' }, `what ${id} is`);
      return response && http.json(response, driveItem);
    },
    /** A page of what is directly in the folders, all of which are of that shared drive, or of none. */
    async itemsIn(folderIds: string[], driveId: string | null, page: string | null) {
      const parents = folderIds.map((id) => `'${id}' in parents`).join(' or ');
      const query = {
        q: `(${parents}) and trashed = false`,
        pageSize: PAGE,
        fields: `nextPageToken,incompleteSearch,files(${fields})`,
        supportsAllDrives: 'true',
        includeItemsFromAllDrives: 'true',
        ...(driveId === null ? { corpora: 'user' } : { corpora: 'drive', driveId }),
        ...(page !== null && { pageToken: page }),
      };
      const response = await get('', query, `the files of folder ${folderIds[0]}`);
      const found = response && (await http.json(response, driveItems));
      if (found?.incompleteSearch) {
        throw new SourceError('Google Drive did not look through all folders.', { retryable: true });
      }
      return found;
    },
    async contentOf(file: DriveItem): Promise<SourceContent | undefined> {
      const { id, mimeType } = file;
      const format = exportOf(mimeType);
      const response = format
        ? await get(`/${id}/export`, { mimeType: format.type }, `document ${id}`)
        : await get(`/${id}`, { alt: 'media', supportsAllDrives: 'true' }, `file ${id}`);
      if (!response) return undefined;
      const contentType = format?.type ?? mimeType;
      return { body: http.body(response), version: versionOf(file), contentType };
    },
  };
}
export type DriveApi = ReturnType<typeof driveApi>;
