import { SourceError } from '#src/ports/source.ts';
import type { BlobSettings } from './settings.ts';

/** How requests authenticate. `fields` names the settings to mention in an error when access is denied. */
export type Credentials =
  | { kind: 'key'; fields: string; account: string; key: Uint8Array<ArrayBuffer> }
  /** The SAS query string exactly as configured, including its escapes. */
  | { kind: 'signature'; fields: string; query: string }
  | { kind: 'application'; fields: string; client_id: string; client_secret: string; tenant_id: string }
  | { kind: 'none'; fields: string };

export interface Access {
  /** URL of the container, without a query. */
  container: URL;
  credentials: Credentials;
}

const CONTAINER_NAME = /^\$?[a-z\d][a-z\d-]{1,62}$/;
/** Matches host names that begin with the storage account, including those of DNS zones and private links. */
const ACCOUNT_HOST = /^([a-z\d]{3,24})(?:-secondary)?\.(?:[a-z\d]{1,63}\.)?blob\./;
/**
 * Query parameters that the connector sets itself. They are removed if the user pasted a URL that contains
 * them.
 */
const OWN = ['restype', 'comp', 'include', 'prefix', 'marker', 'maxresults', 'delimiter', 'snapshot'];

/** Returns the container URL and the credentials. Throws a SourceError that names the invalid setting. */
export function accessOf(settings: BlobSettings): Access {
  const { container_name: name, blob, prefix } = settings;
  const url = URL.parse(settings.account_url.trim());
  if (!url || !/^https?:$/.test(url.protocol)) throw wrong('account_url is no http or https address.');
  if (url.username || url.password)
    throw wrong('account_url has a user name or a password, which mean nothing here.');
  if (!CONTAINER_NAME.test(name)) throw wrong('container_name is no name of a container.');
  if (blob && prefix && !blob.startsWith(prefix)) {
    throw wrong('The name in blob does not begin with prefix: leave one of them out.');
  }
  const inHost = ACCOUNT_HOST.exec(url.hostname)?.[1];
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const account = inHost ?? parts[0];
  // A SAS URL for a single container ends with the container name.
  if (parts.at(-1) === name && parts.length > (inHost ? 0 : 1)) parts.pop();
  const container = new URL(`${url.protocol}//${url.host}/${[...parts, encodeURIComponent(name)].join('/')}`);
  return { container, credentials: credentialsOf(settings, url, account) };
}

function credentialsOf(settings: BlobSettings, url: URL, inAddress: string | undefined): Credentials {
  const given = [
    signatureIn(url),
    ofKey(settings, inAddress),
    ofApplication(settings, url.protocol === 'https:'),
  ].filter((each) => each !== undefined);
  const [first, second] = given;
  if (first && second)
    throw wrong(`Credentials are in ${first.fields} and in ${second.fields}: give one of both.`);
  return first ?? { kind: 'none', fields: 'container_name, which is not public, and so needs account_key' };
}

function signatureIn(url: URL): Credentials | undefined {
  const query = url.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !OWN.includes(part.split('=')[0]!.toLowerCase()))
    .join('&');
  if (query === '') return undefined;
  if (!isSignature(query)) throw wrong('account_url has a query that is no shared access signature.');
  return { kind: 'signature', fields: 'the signature in account_url', query };
}

const isSignature = (text: string) => /(?:^|[?&])sig=/.test(text);

function ofKey(
  { account_key: key, account_name }: BlobSettings,
  inAddress?: string,
): Credentials | undefined {
  if (!key) return undefined;
  if (isSignature(key)) {
    return { kind: 'signature', fields: 'account_key', query: key.trim().replace(/^\?/, '') };
  }
  const account = account_name || inAddress;
  if (!account)
    throw wrong('account_url does not name the account that account_key is of: give account_name.');
  try {
    const bytes = Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
    return { kind: 'key', fields: 'account_key and account_name', account, key: bytes };
  } catch {
    throw wrong('account_key is neither a key, which is Base64, nor a shared access signature.');
  }
}

function ofApplication(settings: BlobSettings, isEncrypted: boolean): Credentials | undefined {
  const { client_id, client_secret, tenant_id } = settings;
  if (!client_id && !client_secret && !tenant_id) return undefined;
  const names = ['client_id', 'client_secret', 'tenant_id'] as const;
  if (!client_id || !client_secret || !tenant_id) {
    const missing = names.filter((name) => !settings[name]).join(' and ');
    throw wrong(`The credentials of an application are ${names.join(', ')}: ${missing} is missing.`);
  }
  if (!isEncrypted) throw wrong('account_url has to begin with https: for client_secret and its tokens.');
  return { kind: 'application', fields: names.join(', '), client_id, client_secret, tenant_id };
}

const wrong = (message: string) => new SourceError(message, { retryable: false });
