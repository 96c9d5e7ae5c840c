import { z } from 'zod';
import { DomainError, type Upstream } from '#src/lib/errors.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { tokenRequest } from '#src/upstream/service-account.ts';
import { readToken, type Token, withToken } from '#src/upstream/tokens.ts';
import { versionOf } from './entry.ts';
import { exportOf } from './formats.ts';
import { type DriveItem, driveItem, driveItems, fieldsOf } from './item.ts';
import { accountOf, type GoogleDriveSettings } from './settings.ts';

const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';

const TOTAL_SECONDS = 60;

const MOST_BYTES = 64 * 1024;

const REASON_BYTES = 64 * 1024;

const answer = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string() })).min(1) }) });

/** Reasons of a 403 response that mean the request should be retried later. */
const PASSING = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'backendError']);

/** Seconds to wait before a retry. Google Drive's quotas are per minute. */
const QUOTA_WAIT = 30;

/** Explanations of why a single file cannot be downloaded. They replace Google's own messages. */
const OF_ONE_FILE = new Map([
  ['exportSizeLimitExceeded', 'Google Drive gives documents of its editors up to 10 MB, and this is larger'],
  ['cannotDownloadFile', 'its owner lets nobody download it'],
  ['cannotExportFile', 'its owner lets nobody download it'],
  ['cannotDownloadAbusiveFile', 'Google Drive takes it for malware or spam, and gives it to its owner alone'],
]);

const API = 'https://www.googleapis.com/drive/v3/files';
/** Maximum page size, according to Google Drive's documentation. */
const PAGE = '1000';

/** Creates a client for the Google Drive requests that list folders and read files. Ids must match `ID`. */
export function driveApi(settings: GoogleDriveSettings, deps: SourceDeps) {
  const http = deps.http({ name: 'Google Drive', redirects: 'follow' });
  const fields = fieldsOf(settings.supports_access_control === true);

  /** Returns `undefined` if the resource does not exist. */
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
    async item(id: string): Promise<DriveItem | undefined> {
      const response = await get(`/${id}`, { fields, supportsAllDrives: 'true' }, `what ${id} is`);
      return response && http.json(response, driveItem);
    },
    /**
     * Returns one page of the folders' direct children. All folders must belong to the given shared drive, or
     * to none if it is `null`.
     */
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

/** Builds the error for a failed response. `what` names the requested resource. */
async function refusalOf(http: UpstreamHttp, response: Response, what: string): Promise<Upstream> {
  const { status } = response;
  const reason = status === 403 ? await reasonIn(http, response.clone()) : undefined;
  const said = OF_ONE_FILE.get(reason ?? '');
  if (said) {
    await response.body?.cancel();
    return new SourceError(`Google Drive does not give ${what}: ${said}.`, { retryable: false, status });
  }
  const isPassing = PASSING.has(reason ?? '');
  const error = await http.failure(response, what, { alsoRetryable: isPassing });
  if (!isPassing) return error;
  const retryAfter = error.retryAfter ?? QUOTA_WAIT;
  return new SourceError(error.message, { retryable: true, retryAfter, status });
}

/** Reads Google's error reason from a response. Returns `undefined` if the body is not a Google error. */
async function reasonIn(http: UpstreamHttp, copy: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of http.body(copy)) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > REASON_BYTES) break;
    }
    return answer.parse(JSON.parse(text)).error.errors[0]!.reason;
  } catch {
    return undefined;
  }
}

/** Requests an access token that can read everything shared with the service account. */
async function signIn(settings: GoogleDriveSettings, deps: SourceDeps): Promise<Token> {
  const account = accountOf(settings);
  const body = await tokenRequest(account, SCOPE);
  if (!body) {
    throw new SourceError('service_account_key.private_key is no RSA key.', { retryable: false });
  }
  const name = `The token endpoint ${new URL(account.tokenUri).host} (service_account_key.token_uri)`;
  const http = deps.http({ name, totalSeconds: TOTAL_SECONDS, maxBytes: MOST_BYTES });
  const response = await http.fetch(account.tokenUri, { method: 'POST', body }).catch((error: unknown) => {
    if (error instanceof SourceError || !(error instanceof DomainError)) throw error;
    // The outbound HTTP client refused to call this URL.
    const message = `service_account_key.token_uri: ${error.message}`;
    throw new SourceError(message, { retryable: error.retryable, cause: error });
  });
  if (!response.ok) {
    const members = 'client_email, private_key_id and private_key';
    throw await http.failure(response, `a token for service_account_key (${members})`);
  }
  return readToken(http, response);
}
