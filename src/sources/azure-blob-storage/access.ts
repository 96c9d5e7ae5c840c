import { SourceError } from '#src/ports/source.ts';
import type { BlobSettings } from './settings.ts';

/**
 * Credentials of Azure Blob Storage. `fields` lists the settings that an error message names when Azure
 * denies access.
 */
export type Credentials =
  | { kind: 'key'; fields: string; account: string; key: Uint8Array<ArrayBuffer> }
  /** SAS query string exactly as configured, including its escapes. */
  | { kind: 'signature'; fields: string; query: string }
  | { kind: 'application'; fields: string; client_id: string; client_secret: string; tenant_id: string }
  | { kind: 'none'; fields: string };

export interface Access {
  container: URL;
  credentials: Credentials;
}

const CONTAINER_NAME = /^\$?[a-z\d][a-z\d-]{1,62}$/;
/**
 * Matches host names that begin with the name of the storage account. The hosts of DNS zones and private
 * links match too.
 */
const ACCOUNT_HOST = /^([a-z\d]{3,24})(?:-secondary)?\.(?:[a-z\d]{1,63}\.)?blob\./;
/** Query parameters that Sluice sets itself. They are removed if the user pasted a URL that contains them. */
const RESERVED_PARAMETERS = [
  'restype',
  'comp',
  'include',
  'prefix',
  'marker',
  'maxresults',
  'delimiter',
  'snapshot',
];

/** Returns the container URL and the credentials. Throws a SourceError that names the invalid setting. */
export function resolveAccess(settings: BlobSettings): Access {
  const { container_name: name, blob, prefix } = settings;
  const url = URL.parse(settings.account_url.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    throw createSettingError('account_url must be an http or https URL.');
  if (url.username || url.password)
    throw createSettingError('account_url must not contain a user name or password.');
  if (!CONTAINER_NAME.test(name))
    throw createSettingError('container_name must consist of lowercase letters, digits and dashes.');
  if (blob && prefix && !blob.startsWith(prefix)) {
    throw createSettingError('blob does not begin with prefix. Remove one of the two settings.');
  }
  const inHost = ACCOUNT_HOST.exec(url.hostname)?.[1];
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const account = inHost ?? parts[0];
  // A SAS URL for a single container has a path that ends with the container name.
  if (parts.at(-1) === name && parts.length > (inHost ? 0 : 1)) parts.pop();
  const container = new URL(`${url.protocol}//${url.host}/${[...parts, encodeURIComponent(name)].join('/')}`);
  return { container, credentials: resolveCredentials(settings, url, account) };
}

function resolveCredentials(settings: BlobSettings, url: URL, inAddress: string | undefined): Credentials {
  const given = [
    findSignature(url),
    findKeyCredentials(settings, inAddress),
    findApplicationCredentials(settings, url.protocol === 'https:'),
  ].filter((each) => each !== undefined);
  const [first, second] = given;
  if (first && second)
    throw createSettingError(
      `Two kinds of credentials are set: ${first.fields}, and ${second.fields}. Remove one of them.`,
    );
  return (
    first ?? {
      kind: 'none',
      fields: 'container_name: a container that is not public needs credentials such as account_key',
    }
  );
}

function findSignature(url: URL): Credentials | undefined {
  const query = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !RESERVED_PARAMETERS.includes(part.split('=')[0]!.toLowerCase()))
    .join('&');
  if (query === '') return undefined;
  if (!isSignature(query))
    throw createSettingError('The query of account_url must be a shared access signature.');
  return { kind: 'signature', fields: 'the shared access signature in account_url', query };
}

const isSignature = (text: string) => /(?:^|[?&])sig=/.test(text);

function findKeyCredentials(
  { account_key: key, account_name }: BlobSettings,
  inAddress?: string,
): Credentials | undefined {
  if (!key) return undefined;
  if (isSignature(key)) {
    return { kind: 'signature', fields: 'account_key', query: key.trim().replace(/^\?/, '') };
  }
  const account = account_name || inAddress;
  if (!account)
    throw createSettingError(
      'account_url does not contain the account name. Set account_name to the account of account_key.',
    );
  try {
    const bytes = Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
    return { kind: 'key', fields: 'account_key and account_name', account, key: bytes };
  } catch {
    throw createSettingError('account_key must be a Base64 account key or a shared access signature.');
  }
}

function findApplicationCredentials(settings: BlobSettings, isEncrypted: boolean): Credentials | undefined {
  const { client_id, client_secret, tenant_id } = settings;
  if (!client_id && !client_secret && !tenant_id) return undefined;
  const names = ['client_id', 'client_secret', 'tenant_id'] as const;
  if (!client_id || !client_secret || !tenant_id) {
    const missing = names.filter((name) => !settings[name]).join(' and ');
    throw createSettingError(`An application signs in with ${names.join(', ')}. Missing: ${missing}.`);
  }
  if (!isEncrypted)
    throw createSettingError(
      'account_url must start with https:// because it receives access tokens of client_secret.',
    );
  return { kind: 'application', fields: names.join(', '), client_id, client_secret, tenant_id };
}

const createSettingError = (message: string) => new SourceError(message, { retryable: false });
