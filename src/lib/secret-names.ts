// Recognizes credentials where no schema can mark them: free-form components, keyword-argument maps, URLs.

const SECRET_WORDS = new Set([
  ...['apikey', 'auth', 'authorization', 'bearer', 'cookie', 'cookies', 'credential', 'credentials', 'dsn'],
  ...['key', 'keys', 'passphrase', 'passwd', 'password', 'passwords', 'pwd', 'sas', 'secret', 'secrets'],
  ...['signature', 'token', 'tokens'],
]);

/** Last words that name something about a secret rather than the secret: `key_id`, `token_uri`, `auth_type`. */
const ABOUT = new Set([
  ...['count', 'endpoint', 'expiry', 'file', 'header', 'id', 'ids', 'length', 'limit', 'mechanism', 'method'],
  ...['mode', 'name', 'names', 'path', 'provider', 'region', 'size', 'type', 'uri', 'url', 'version'],
]);

/** First words that make a count or a data set's own term of it: `max_tokens`, `partition_key`. */
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

/** Whether a member of this name holds a credential: `api_key`, `clientSecret`, `X-Auth-Token`, `password`. */
export function looksSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
  if (
    words.some((word) =>
      /^(connectionstring|.*(accesskey|accountkey|apikey|password|passwd|privatekey|secret|token))$/.test(
        word,
      ),
    )
  ) {
    return !ABOUT.has(words.at(-1)!) && !QUALIFIERS.has(words[0]!);
  }
  if (/connection string$/.test(words.join(' '))) return true;
  return (
    words.some((word) => SECRET_WORDS.has(word)) && !ABOUT.has(words.at(-1)!) && !QUALIFIERS.has(words[0]!)
  );
}

/** Whether a text is a credential whatever its member is called. */
export function isCredential(text: string): boolean {
  return (
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text) ||
    /^(bearer|basic)\s+\S{6,}$/i.test(text) ||
    /(^|;)\s*(accountkey|sharedaccesskey|password|pwd)\s*=[^;]/i.test(text)
  );
}

const SIGNING_PARAMETERS =
  /([?&](?:sig|signature|x-amz-signature|x-goog-signature|access_token|auth|token|api[-_]?key|key|secret|client_secret|password)=)([^&#\s]+)/gi;

/** A URL with its credentials `replace`d: user information and signing parameters. Other text is left as is. */
export function replaceUrlSecrets(text: string, replace: (part: string) => string): string {
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(text)?.[0];
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
  // A password with a slash that nobody escaped; a port keeps `host:8080/a@b` out of it.
  if (!/^[^:]*:/.test(authority) || /:\d{1,5}$/.test(authority)) return 0;
  return Math.max(/^\S*/.exec(rest)![0].lastIndexOf('@'), 0);
}

export function hasUrlSecrets(text: string): boolean {
  return replaceUrlSecrets(text, () => '') !== text;
}
