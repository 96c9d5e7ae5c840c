import { z } from 'zod';
import { DomainError, type Upstream } from '#src/lib/errors.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { buildTokenRequest } from '#src/upstream/service-account.ts';
import { readToken, type Token, withToken } from '#src/upstream/tokens.ts';
import { getVersion } from './entry.ts';
import { getExportFormat } from './formats.ts';
import { type DriveItem, driveItem, driveItems, getRequestedFields } from './item.ts';
import { type GoogleDriveSettings, parseServiceAccount } from './settings.ts';

const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';

const TOTAL_SECONDS = 60;

const MAX_BYTES = 64 * 1024;

const REASON_BYTES = 64 * 1024;

const errorBody = z.object({ error: z.object({ errors: z.array(z.object({ reason: z.string() })).min(1) }) });

/** Google's error reasons in a response with status 403 that mean a later retry may succeed. */
const RETRYABLE_REASONS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'backendError']);

/**
 * Time in seconds to wait before a retry after a quota is used up. Google Drive's quotas apply per minute.
 */
const QUOTA_WAIT_SECONDS = 30;

/**
 * Explanations why a file cannot be downloaded, by Google's error code. They replace Google's own messages.
 */
const FILE_ERRORS = new Map([
  ['exportSizeLimitExceeded', 'Google Drive exports documents of at most 10 MB, and this one is larger'],
  ['cannotDownloadFile', 'its owner does not allow downloads'],
  ['cannotExportFile', 'its owner does not allow downloads'],
  [
    'cannotDownloadAbusiveFile',
    'Google Drive classifies it as malware or spam, so only its owner may download it',
  ],
]);

const API = 'https://www.googleapis.com/drive/v3/files';
/** Maximum number of items per page of a listing, according to Google Drive's documentation. */
const PAGE = '1000';

/** Creates a client for the Google Drive requests that list folders and read files. Ids must match `ID`. */
export function createDriveApi(settings: GoogleDriveSettings, deps: SourceDeps) {
  const http = deps.http({ name: 'Google Drive', redirects: 'follow' });
  const fields = getRequestedFields(settings.supports_access_control === true);

  /** Sends a GET request to Google Drive. Returns `undefined` if the resource does not exist. */
  async function get(
    path: string,
    query: Record<string, string>,
    what: string,
  ): Promise<Response | undefined> {
    const url = `${API}${path}?${new URLSearchParams(query)}`;
    const response = await withToken(
      deps.tokens,
      'access',
      () => requestToken(settings, deps),
      (token) => http.fetch(url, { headers: { authorization: `Bearer ${token}` } }),
    );
    if (response.ok) return response;
    if (response.status !== 404) throw await createFailure(http, response, what);
    await response.body?.cancel();
    return undefined;
  }

  return {
    async item(id: string): Promise<DriveItem | undefined> {
      const response = await get(`/${id}`, { fields, supportsAllDrives: 'true' }, `item ${id}`);
      return response && http.json(response, driveItem);
    },
    /**
     * Returns one page of the direct children of these folders. All folders must be in the shared drive
     * `driveId`. If `driveId` is `null`, no folder may be in a shared drive.
     */
    async listChildren(folderIds: string[], driveId: string | null, page: string | null) {
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
        throw new SourceError('Google Drive returned incomplete search results.', { retryable: true });
      }
      return found;
    },
    async readContent(file: DriveItem): Promise<SourceContent | undefined> {
      const { id, mimeType } = file;
      const format = getExportFormat(mimeType);
      const response = format
        ? await get(`/${id}/export`, { mimeType: format.type }, `document ${id}`)
        : await get(`/${id}`, { alt: 'media', supportsAllDrives: 'true' }, `file ${id}`);
      if (!response) return undefined;
      const contentType = format?.type ?? mimeType;
      return { body: http.body(response), version: getVersion(file), contentType };
    },
  };
}
export type DriveApi = ReturnType<typeof createDriveApi>;

async function createFailure(http: UpstreamHttp, response: Response, what: string): Promise<Upstream> {
  const { status } = response;
  const reason = status === 403 ? await readErrorReason(http, response.clone()) : undefined;
  const explanation = FILE_ERRORS.get(reason ?? '');
  if (explanation) {
    await response.body?.cancel();
    return new SourceError(`Google Drive refused ${what}: ${explanation}.`, {
      retryable: false,
      status,
    });
  }
  const isRetryable = RETRYABLE_REASONS.has(reason ?? '');
  const error = await http.failure(response, what, { alsoRetryable: isRetryable });
  if (!isRetryable) return error;
  const retryAfter = error.retryAfter ?? QUOTA_WAIT_SECONDS;
  return new SourceError(error.message, { retryable: true, retryAfter, status });
}

/** Reads Google's error reason from a response. Returns `undefined` if the body is not a Google error. */
async function readErrorReason(http: UpstreamHttp, copy: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of http.body(copy)) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > REASON_BYTES) break;
    }
    return errorBody.parse(JSON.parse(text)).error.errors[0]!.reason;
  } catch {
    return undefined;
  }
}

/** Requests an access token that can read all files shared with the Google service account. */
async function requestToken(settings: GoogleDriveSettings, deps: SourceDeps): Promise<Token> {
  const account = parseServiceAccount(settings);
  const body = await buildTokenRequest(account, SCOPE);
  if (!body) {
    throw new SourceError('service_account_key.private_key must be an RSA key.', { retryable: false });
  }
  const name = `The token endpoint ${new URL(account.tokenUri).host} (service_account_key.token_uri)`;
  const http = deps.http({ name, totalSeconds: TOTAL_SECONDS, maxBytes: MAX_BYTES });
  const response = await http.fetch(account.tokenUri, { method: 'POST', body }).catch((error: unknown) => {
    if (error instanceof SourceError || !(error instanceof DomainError)) throw error;
    // The HTTP client refused to call this URL, for example because its address is private.
    const message = `service_account_key.token_uri: ${error.message}`;
    throw new SourceError(message, { retryable: error.retryable, cause: error });
  });
  if (!response.ok) {
    const members = 'client_email, private_key_id and private_key';
    throw await http.failure(response, `a token for service_account_key (${members})`);
  }
  return readToken(http, response);
}
