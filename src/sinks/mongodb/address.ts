import { BadAddress } from './bad-address.ts';
import { type MongoOptions, parseOptions } from './options.ts';

export interface MongoAddress {
  /** DNS name whose SRV records list the hosts. Absent if the URI lists the hosts itself. */
  srv?: string;
  hosts: Host[];
  credentials?: { username: string; password: string };
  /**
   * Database in the path of the URI. The credentials are checked against it unless an option names another
   * database.
   */
  database: string;
  options: MongoOptions;
  /** Secret parts of the URI, both encoded and decoded. They are removed from error messages. */
  secrets: string[];
}

export interface Host {
  /** Host name as the URL parser normalizes it: in lower case, with an IPv6 address in brackets. */
  name: string;
  port: number;
}

const DEFAULT_PORT = 27_017;
const MAX_HOSTS = 50;
const FORM = /^mongodb(\+srv)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?(.*))?$/s;

/**
 * Returns the hosts of a URI, which identify the server. Credentials are left out, because changing a
 * password does not move the data. Returns `undefined` for an invalid URI.
 */
export function getHostList(uri: string): string | undefined {
  const authority = FORM.exec(uri)?.[2];
  return authority?.slice(authority.lastIndexOf('@') + 1);
}

export function parseMongoUri(uri: string): MongoAddress {
  const [, plus, authority = '', database = '', query = ''] = FORM.exec(uri) ?? [];
  if (authority === '')
    throw new BadAddress('The URI must start with mongodb:// or mongodb+srv:// and contain a host.');
  const at = authority.lastIndexOf('@');
  const names = authority.slice(at + 1).split(',');
  if (names.length > MAX_HOSTS)
    throw new BadAddress(`The URI must not contain more than ${MAX_HOSTS} hosts.`);
  const given = at < 0 ? undefined : parseCredentials(authority.slice(0, at));
  const address = {
    database: decodePart(database, 'The database name'),
    options: parseOptions(query, plus !== undefined),
    secrets: [uri, ...(given?.secrets ?? [])],
    ...(given && { credentials: given.credentials }),
  };
  if (plus === undefined) {
    const hosts = names.map(parseHost);
    if (address.options.isDirect && hosts.length > 1) {
      throw new BadAddress('The option directConnection allows only one host.');
    }
    return { ...address, hosts };
  }
  const [srv] = names;
  if (names.length > 1 || srv!.includes(':')) {
    throw new BadAddress('A mongodb+srv:// URI must contain exactly one host name and no port.');
  }
  if (address.options.isDirect)
    throw new BadAddress('The option directConnection cannot be used with mongodb+srv://.');
  return { ...address, srv: parseHost(srv!).name, hosts: [] };
}

function parseCredentials(given: string) {
  const [name = '', ...rest] = given.split(':');
  const encoded = rest.join(':');
  if (name === '' || /[@/]/.test(given) || rest.length > 1) {
    throw new BadAddress(
      'In the user name and password, write the characters : / ? # @ % percent-encoded, such as %3A.',
    );
  }
  const username = decodePart(name, 'The user name');
  const password = decodePart(encoded, 'The password');
  return { credentials: { username, password }, secrets: [encoded, password, given] };
}

function decodePart(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadAddress(`${what} contains a % that is not part of a percent-encoded character.`);
  }
}

export function parseHost(text: string): Host {
  const [, host = '', port] = /^(\[[\da-f:.]+\]|[^[\]:/?#@%\\\s]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const name = URL.parse(`http://${host}/`)?.hostname;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (host === '' || !name || number < 1 || number > 65_535) {
    throw new BadAddress('Each host must be a name or IP address, with an optional port.');
  }
  return { name, port: number };
}
