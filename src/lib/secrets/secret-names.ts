// Words that mark the name of a credential. They are used where no schema marks secrets: in free-form
// components, keyword arguments and URLs.

const SECRET_WORDS = new Set([
  ...[
    'apikey',
    'assertion',
    'auth',
    'authorization',
    'bearer',
    'cookie',
    'cookies',
    'cred',
    'credential',
    'credentials',
  ],
  ...['creds', 'dsn', 'jwt', 'key', 'keys', 'pass', 'passcode', 'passphrase', 'passwd', 'password'],
  ...['passwords', 'psk', 'pw', 'pwd', 'sas', 'secret', 'secrets', 'signature', 'token', 'tokens'],
]);

/**
 * Last words of names that describe a secret but do not contain it, such as `key_id`, `token_uri` and
 * `auth_type`.
 */
const DESCRIPTIVE_SUFFIXES = new Set([
  ...['count', 'endpoint', 'expiry', 'file', 'header', 'id', 'ids', 'length', 'limit', 'mechanism', 'method'],
  ...['mode', 'name', 'names', 'path', 'provider', 'region', 'size', 'type', 'uri', 'url', 'version'],
]);

/**
 * First words of names that are counts or data terms rather than secrets, such as `max_tokens` and
 * `partition_key`.
 */
const QUALIFIERS = new Set([
  'foreign',
  'max',
  'metadata',
  'min',
  'num',
  'partition',
  'primary',
  'public',
  'sort',
]);

/** Matches names of secrets that are written as one word, such as `mypassword`, `dbpass` and `accountkey`. */
const COMPOUND =
  /^(connectionstring|.*(accesskey|accountkey|apikey|password|passwd|privatekey|secret|token)|(db|pg|user)pass)$/;

/**
 * Returns whether a field with this name contains a credential, such as `api_key`, `clientSecret` or
 * `X-Auth-Token`. A `headers` map counts as a whole, because each service chooses the header for its key.
 */
export function looksSecret(name: string): boolean {
  const words = splitName(name);
  if (words.length === 0 || DESCRIPTIVE_SUFFIXES.has(words.at(-1)!) || QUALIFIERS.has(words[0]!))
    return false;
  return (
    /(connection string|headers)$/.test(words.join(' ')) ||
    words.some((word) => SECRET_WORDS.has(word) || COMPOUND.test(word))
  );
}

/**
 * Returns whether a field with this name contains an address, such as `uri`, `baseURL`, `http_proxy` or
 * `hosts`.
 */
export function namesAddress(name: string): boolean {
  return /^(base|.*(address|endpoint|host|hostname|proxy|server|uri|url)(e?s)?|proxies)$/.test(
    splitName(name).at(-1) ?? '',
  );
}

function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}

/** Returns whether a text has the form of a credential, regardless of the name of its field. */
export function isCredential(text: string): boolean {
  return (
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text) ||
    /^\s*(bearer|basic)\s+\S{6,}\s*$/i.test(text) ||
    /(^|[;\s])(accountkey|sharedaccesskey|pass|passwd|password|pwd)\s*=\s*[^;\s]/i.test(text)
  );
}

const SIGNING_PARAMETERS =
  /([?&](?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|googleaccessid|access_token|auth|token|api[-_]?key|key|secret|client_secret|pass|passwd|password|pwd)=)([^&#\s]+)/gi;

/**
 * Replaces the credentials in a URL, which are user information and signing parameters. Other text is
 * unchanged. If `isAddress` is true, the text is a URL that may lack its scheme, as in
 * `user:password@host:19530`.
 */
export function replaceUrlSecrets(
  text: string,
  replace: (part: string) => string,
  isAddress = false,
): string {
  const scheme = (/^\s*(?:[a-z][a-z\d+.-]*:)+\/\//i.exec(text) ??
    (isAddress ? /^\s*/.exec(text) : null))?.[0];
  if (scheme === undefined) return text;
  const rest = text.slice(scheme.length);
  const length = userinfoLength(rest);
  const userinfo = length > 0 ? replace(rest.slice(0, length)) : '';
  const address = rest
    .slice(length)
    .replaceAll(SIGNING_PARAMETERS, (_, name: string, value: string) => name + replace(value));
  return scheme + userinfo + address;
}

function userinfoLength(rest: string): number {
  const authority = /^[^\s/?#]*/.exec(rest)![0];
  if (authority.includes('@')) return authority.lastIndexOf('@');
  // The password may contain an unescaped slash. A port number before the slash means that there is no
  // password, as in `host:8080/a@b`.
  if (!/^[^:]*:/.test(authority) || /:\d{1,5}$/.test(authority)) return 0;
  return Math.max(/^\S*/.exec(rest)![0].lastIndexOf('@'), 0);
}

export function hasUrlSecrets(text: string, isAddress = false): boolean {
  return replaceUrlSecrets(text, () => '', isAddress) !== text;
}
