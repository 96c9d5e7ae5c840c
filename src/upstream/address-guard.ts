import { resolve4, resolve6 } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';
import { withTimeout } from './timeout.ts';

const { IPv4, IPv6 } = ipaddr;

/** All that is given out to the public; the rest of the space is special or unused. */
const GIVEN_OUT = IPv6.parseCIDR('2000::/3');

/** NAT64: the last four bytes are an IPv4 address. Its local neighbour 64:ff9b:1::/48 is nobody's business. */
const TRANSLATED = IPv6.parseCIDR('64:ff9b::/96');

const isPublicV4 = (bytes: number[]) => new IPv4(bytes).range() === 'unicast';

/** Addresses of a name; an empty list when it has none. Rejects when the resolver cannot be asked. */
export type Resolve = (name: string) => Promise<string[]>;

const LOCAL_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|onion)$/;
const LOOKUP_SECONDS = 5;

/**
 * Lets only http(s) URLs through whose host is public, and gives them back parsed. Names are looked up first,
 * and every address of theirs must be public. Call it for every hop.
 *
 * The lookup goes through the runtime's resolver (node:dns, which is DNS over HTTPS there). A name that
 * changes its address between this lookup and the connection is not caught; deployed Workers cannot reach
 * private networks by fetch at all. `ALLOW_PRIVATE_ADDRESSES` skips every check but the scheme's.
 */
export async function guardUrl(
  input: string | URL,
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>,
  resolve?: Resolve,
): Promise<URL> {
  const url = parse(input);
  if (settings.ALLOW_PRIVATE_ADDRESSES) return url;
  if (url.username !== '' || url.password !== '') {
    throw new BadRequest('The URL must not carry a user name or password; send them as a header.');
  }
  await publicAddressesOf(url.hostname, resolve);
  return url;
}

/** A host that a socket may be opened to, as `guardHost` gives it. */
export interface GuardedHost {
  /** In its usual form, without brackets. Certificates name it. */
  name: string;
  /** What to connect to: addresses that were checked, or the name itself where none need be. */
  addresses: string[];
  /** False where the installation allows private addresses, so that nothing was looked up. */
  isPublic: boolean;
}

/**
 * The addresses of a host without a URL, under the same rules. Whoever connects to one of these and not to the name
 * reaches what was checked, however the name's addresses change meanwhile.
 */
export async function guardHost(
  host: string,
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>,
  resolve?: Resolve,
): Promise<GuardedHost> {
  const isV6 = host.includes(':') && /^[\da-f:.]+$/i.test(host);
  const url = /[\s/\\@?#:[\]]/.test(host) && !isV6 ? null : URL.parse(`http://${isV6 ? `[${host}]` : host}/`);
  if (!url || url.hostname === '') {
    throw new BadRequest('The host must be a name or an IP address, without a scheme, port or path.');
  }
  const name = url.hostname.replace(/^\[|\]$/g, '');
  if (settings.ALLOW_PRIVATE_ADDRESSES) return { name, addresses: [name], isPublic: false };
  return { name, addresses: await publicAddressesOf(url.hostname, resolve), isPublic: true };
}

/**
 * The addresses of a host as the parser of URLs gives it back: decimal, octal and hexadecimal forms of an IPv4 address
 * have become the dotted one. Rejects when one of them is not public. Who connects to these very addresses is not
 * deceived by a name that changes its own.
 */
export async function publicAddressesOf(
  hostname: string,
  resolve: Resolve = lookUpWith([resolve4, resolve6]),
): Promise<string[]> {
  const host = normalizeHost(hostname);
  if (!host.includes('.') && !host.startsWith('[')) throw blocked(host);
  if (isPrivateHost(host)) throw blocked(host);
  const literal = addressIn(host);
  if (literal !== undefined) return [literal];
  const addresses = await resolve(host);
  if (addresses.length === 0) throw new BadRequest(`The host ${host} does not exist.`);
  if (!addresses.every(isPublicAddress)) throw blocked(host);
  return addresses;
}

const normalizeHost = (hostname: string) => hostname.replace(/(?<!\.)\.+$/, '').toLowerCase();

/** Returns the IP address that a host is, without brackets. Returns `undefined` if the host is a name. */
function addressIn(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1);
  return /^[\d.]+$/.test(host) ? host : undefined;
}

/**
 * Says whether a host, as the parser of URLs gives it back, is private by itself: an IP address that is not public, or a
 * name that only means something inside a network. Looks nothing up, so a public name with a private address passes;
 * `guardUrl` finds that when the host is called.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = normalizeHost(hostname);
  const literal = addressIn(host);
  return literal === undefined ? LOCAL_NAME.test(host) : !isPublicAddress(literal);
}

function parse(input: string | URL): URL {
  const url = URL.parse(String(input));
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new BadRequest('The URL must be an absolute http or https URL.');
  }
  return url;
}

function blocked(host: string): BadRequest {
  return new BadRequest(
    `The address of ${host} is not public. Loopback, private, link-local and metadata addresses are refused.`,
  );
}

/** Asks for each family of addresses; a name has what any of them knows. */
export function lookUpWith(families: Resolve[]): Resolve {
  return async (name) => {
    const lookups = Promise.all(families.map((ask) => ask(name).catch(none)));
    const found = await withTimeout(lookups, LOOKUP_SECONDS).catch((cause: unknown) => {
      throw new Upstream(`The address of ${name} could not be looked up.`, { retryable: true, cause });
    });
    return found.flat();
  };
}

/** No address of this family is an answer; any other failure is not. */
function none(error: unknown): string[] {
  const code = (error as { code?: string }).code;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
  throw error;
}

/**
 * A dotted IPv4 address, or an IPv6 one without brackets: whether no registry has set it aside for a special
 * purpose. One that carries an IPv4 address is as public as that is. What is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  // Other notations (octal, hexadecimal, fewer parts) mean different addresses to different readers.
  if (IPv4.isValidFourPartDecimal(address)) return IPv4.parse(address).range() === 'unicast';
  const groups = inGroups(address);
  if (groups === undefined) return false;
  const parsed = IPv6.parse(groups);
  const bytes = parsed.toByteArray();
  const range = parsed.range();
  if (range === 'ipv4Mapped' || parsed.match(TRANSLATED)) return isPublicV4(bytes.slice(12));
  if (range === '6to4') return isPublicV4(bytes.slice(2, 6));
  return range === 'unicast' && parsed.match(GIVEN_OUT);
}

/** An IPv6 address without a dotted part, which the library takes for a mapped one wherever it stands. */
function inGroups(address: string): string | undefined {
  if (!/^[\da-f:.]+$/i.test(address)) return undefined;
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
}
