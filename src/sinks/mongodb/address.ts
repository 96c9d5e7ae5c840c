import { BadAddress } from './bad-address.ts';
import { type MongoOptions, optionsOf } from './options.ts';

/** Where a `db_uri` leads, with what it says of how to get there. */
export interface MongoAddress {
  /** A name whose records tell the hosts, or the hosts. */
  srv?: string;
  hosts: Host[];
  credentials?: { username: string; password: string };
  /** As text behind the hosts; the database that credentials belong to where no option names one. */
  database: string;
  options: MongoOptions;
  /** What no message may repeat, in every form that it comes in. */
  secrets: string[];
}

export interface Host {
  /** As the parser of URLs writes it: in lower case, an IPv6 address in brackets. */
  name: string;
  port: number;
}

const USUAL_PORT = 27_017;
const MOST_HOSTS = 50;
const FORM = /^mongodb(\+srv)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?(.*))?$/s;

/** The hosts of `mongodb://user:password@host,host/database?options`: a new password moves no data. */
export function placeOf(uri: string): string | undefined {
  const authority = FORM.exec(uri)?.[2];
  return authority?.slice(authority.lastIndexOf('@') + 1);
}

/** Throws BadAddress. */
export function addressOf(uri: string): MongoAddress {
  const [, plus, authority = '', database = '', query = ''] = FORM.exec(uri) ?? [];
  if (authority === '') throw new BadAddress('This is no mongodb:// or mongodb+srv:// address.');
  const at = authority.lastIndexOf('@');
  const names = authority.slice(at + 1).split(',');
  if (names.length > MOST_HOSTS) throw new BadAddress(`It names more than ${MOST_HOSTS} hosts.`);
  const given = at < 0 ? undefined : credentialsOf(authority.slice(0, at));
  const address = {
    database: decoded(database, 'The name of the database'),
    options: optionsOf(query, plus !== undefined),
    secrets: [uri, ...(given?.secrets ?? [])],
    ...(given && { credentials: given.credentials }),
  };
  if (plus === undefined) {
    const hosts = names.map(hostOf);
    if (address.options.isDirect && hosts.length > 1) {
      throw new BadAddress('With the option directConnection there is one host.');
    }
    return { ...address, hosts };
  }
  const [srv] = names;
  if (names.length > 1 || srv!.includes(':')) {
    throw new BadAddress('A mongodb+srv:// address has one name and no port.');
  }
  if (address.options.isDirect)
    throw new BadAddress('The option directConnection is for a host, not for a name.');
  return { ...address, srv: hostOf(srv!).name, hosts: [] };
}

function credentialsOf(given: string) {
  const [name = '', ...rest] = given.split(':');
  const encoded = rest.join(':');
  if (name === '' || /[@/]/.test(given) || rest.length > 1) {
    throw new BadAddress('In the name and the password the signs : / ? # @ % are written as %3A and so on.');
  }
  const username = decoded(name, 'The name of the user');
  const password = decoded(encoded, 'The password');
  return { credentials: { username, password }, secrets: [encoded, password, given] };
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadAddress(`${what} has a % that begins no percent-encoded sign.`);
  }
}

export function hostOf(text: string): Host {
  const [, host = '', port] = /^(\[[\da-f:.]+\]|[^[\]:/?#@%\\\s]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const name = URL.parse(`http://${host}/`)?.hostname;
  const number = port === undefined ? USUAL_PORT : Number(port);
  if (host === '' || !name || number < 1 || number > 65_535) {
    throw new BadAddress('One of its hosts is no name or address with a port.');
  }
  return { name, port: number };
}
