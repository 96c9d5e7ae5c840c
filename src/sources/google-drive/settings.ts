import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';
import { parseKeyFile, type ServiceAccount } from '#src/upstream/service-account.ts';

export const googleDriveFields = {
  folder_id: z
    .string()
    .describe(
      'Id or browser URL of a folder or shared drive, which is read with all of its subfolders. `root` reads everything that the account itself owns.',
    ),
  folder_name: withoutEffect(
    field.text().describe('Display name of the folder.'),
    'folder_name is only displayed. folder_id selects the folder.',
  ),
  service_account_key: z
    .record(z.string(), secret())
    .nullish()
    .describe(
      'Fields of the key file of a service account: `client_email`, `private_key`, `private_key_id`, `token_uri`.',
    ),
  supports_access_control: field.flagOr(false).describe('Also reads the permissions of files.'),
};

export type GoogleDriveSettings = z.infer<z.ZodObject<typeof googleDriveFields>>;

/** Matches a Google Drive id. None of the permitted characters has a special meaning in a query or a path. */
export const ID = /^[\w-]{1,256}$/;
const WEB_HOST = 'drive.google.com';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** Returns the folder id from an id or a browser URL. Throws a SourceError if the value is neither. */
export function parseFolderId({ folder_id: given }: GoogleDriveSettings): string {
  const id = parseIdFromUrl(given.trim()) ?? given.trim();
  if (ID.test(id)) return id;
  throw createSettingError('folder_id must be the id of a folder or its URL in the browser');
}

/**
 * Extracts the id from a URL of the form ".../folders/<id>" or "...?id=<id>". Returns `undefined` for any
 * other URL.
 */
function parseIdFromUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.host !== WEB_HOST) return undefined;
  return /\/folders\/([^/]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id') ?? undefined;
}

/**
 * Parses the service account key. Throws a SourceError that names the missing or invalid field of the key.
 */
export function parseServiceAccount({ service_account_key: key }: GoogleDriveSettings): ServiceAccount {
  if (!key) throw createSettingError('Google Drive requires service_account_key');
  const { client_email = '', private_key = '', private_key_id, token_uri } = key;
  const missing = Object.entries({ client_email, private_key }).filter(([, value]) => value === '');
  if (missing.length > 0) {
    throw createSettingError(
      `service_account_key must contain ${missing.map(([name]) => name).join(' and ')}`,
    );
  }
  const file = { client_email, private_key, private_key_id, token_uri: token_uri || TOKEN_URI };
  const account = parseKeyFile(file);
  if (!('member' in account)) return account;
  throw createSettingError(`service_account_key.${account.member}: ${account.message}`);
}

const createSettingError = (what: string) => new SourceError(`${what}.`, { retryable: false });
