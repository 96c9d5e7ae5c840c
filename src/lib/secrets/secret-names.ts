// Words that mark credentials where no schema can: in free-form components, keyword arguments and URLs.

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

/** Last words of names that describe a secret rather than contain it: `key_id`, `token_uri`, `auth_type`. */
const ABOUT = new Set([
  ...['count', 'endpoint', 'expiry', 'file', 'header', 'id', 'ids', 'length', 'limit', 'mechanism', 'method'],
  ...['mode', 'name', 'names', 'path', 'provider', 'region', 'size', 'type', 'uri', 'url', 'version'],
]);

/** First words of names that are counts or data terms: `max_tokens`, `partition_key`. */
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

/** Matches names written as one word: `mypassword`, `dbpass`, `accountkey`. */
const COMPOUND =
  /^(connectionstring|.*(accesskey|accountkey|apikey|password|passwd|privatekey|secret|token)|(db|pg|user)pass)$/;

/**
 * Returns whether a member of this name holds a credential, such as `api_key`, `clientSecret`, `X-Auth-Token`
 * or `password`. A `headers` map counts as a whole, because services choose the header of their key.
 */
export function looksSecret(name: string): boolean {
  const words = wordsOf(name);
  if (words.length === 0 || ABOUT.has(words.at(-1)!) || QUALIFIERS.has(words[0]!)) return false;
  return (
    /(connection string|headers)$/.test(words.join(' ')) ||
    words.some((word) => SECRET_WORDS.has(word) || COMPOUND.test(word))
  );
}

/**
 * Returns whether a member of this name holds an address, such as `uri`, `baseURL`, `api_base`, `http_proxy`
 * or `hosts`.
 */
export function namesAddress(name: string): boolean {
  return /^(base|.*(address|endpoint|host|hostname|proxy|server|uri|url)(e?s)?|proxies)$/.test(
    wordsOf(name).at(-1) ?? '',
  );
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}

/** Returns whether a text is a credential, whatever the name of its member. */
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
 * Replaces the credentials in a URL: user information and signing parameters. Other text is unchanged, unless
 * `isAddress` says that it is a URL that may lack its scheme, as in `user:password@host:19530`.
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
  // Detects a password with an unescaped slash. A port excludes `host:8080/a@b`.
  if (!/^[^:]*:/.test(authority) || /:\d{1,5}$/.test(authority)) return 0;
  return Math.max(/^\S*/.exec(rest)![0].lastIndexOf('@'), 0);
}

export function hasUrlSecrets(text: string, isAddress = false): boolean {
  return replaceUrlSecrets(text, () => '', isAddress) !== text;
}
