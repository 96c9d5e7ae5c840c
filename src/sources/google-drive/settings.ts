import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';
import { readKeyFile, type ServiceAccount } from '#src/upstream/service-account.ts';

export const googleDriveFields = {
  folder_id: z
    .string()
    .describe(
      'Of a folder or a shared drive, with all that is below it; or its address as the browser shows it. `root`: all that the account itself owns.',
    ),
  folder_name: withoutEffect(
    field.text().describe('For display.'),
    'It is shown as it was sent; folder_id says which folder is read.',
  ),
  service_account_key: z
    .record(z.string(), secret())
    .nullish()
    .describe(
      'The members of the key file of a service account: `client_email`, `private_key`, `private_key_id`, `token_uri`.',
    ),
  supports_access_control: field.flagOr(false).describe('Reads who may see a file as well.'),
};

export type GoogleDriveSettings = z.infer<z.ZodObject<typeof googleDriveFields>>;

/** Pattern of Google Drive ids. None of its characters has a special meaning in a query or a path. */
export const ID = /^[\w-]{1,256}$/;
const WEB_HOST = 'drive.google.com';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** Returns the folder id from an id or a browser URL. Throws a SourceError if the value is neither. */
export function folderIdOf({ folder_id: given }: GoogleDriveSettings): string {
  const id = idInAddress(given.trim()) ?? given.trim();
  if (ID.test(id)) return id;
  throw wrong('folder_id is no id of a folder, and no address of one such as the browser shows');
}

/**
 * Extracts the id from a URL of the form ".../folders/<id>" or "...?id=<id>". Returns `undefined` for any
 * other URL.
 */
function idInAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.host !== WEB_HOST) return undefined;
  return /\/folders\/([^/]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id') ?? undefined;
}

/** Parses the service account key. Throws a SourceError that names the missing or invalid member. */
export function accountOf({ service_account_key: key }: GoogleDriveSettings): ServiceAccount {
  if (!key) throw wrong('Google Drive needs service_account_key');
  const { client_email = '', private_key = '', private_key_id, token_uri } = key;
  const missing = Object.entries({ client_email, private_key }).filter(([, value]) => value === '');
  if (missing.length > 0) {
    throw wrong(`service_account_key lacks ${missing.map(([name]) => name).join(' and ')}`);
  }
  const file = { client_email, private_key, private_key_id, token_uri: token_uri || TOKEN_URI };
  const account = readKeyFile(file);
  if (!('member' in account)) return account;
  throw wrong(`service_account_key.${account.member}: ${account.message}`);
}

const wrong = (what: string) => new SourceError(`${what}.`, { retryable: false });
