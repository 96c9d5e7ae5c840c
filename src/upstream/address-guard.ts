import { resolve4, resolve6 } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';
import { withTimeout } from './timeout.ts';

const { IPv4, IPv6 } = ipaddr;

/**
 * Range of IPv6 addresses that are assigned worldwide to single hosts. All other IPv6 addresses are special
 * or unused.
 */
const GLOBAL_UNICAST = IPv6.parseCIDR('2000::/3');

/**
 * Prefix of NAT64, the translation between IPv6 and IPv4. The last four bytes of an address with this prefix
 * are an IPv4 address. The prefix 64:ff9b:1::/48 for local use is not public.
 */
const NAT64 = IPv6.parseCIDR('64:ff9b::/96');

const isPublicV4 = (bytes: number[]) => new IPv4(bytes).range() === 'unicast';

/**
 * Resolves a host name to IP addresses. Returns an empty list if the name has no addresses. Rejects if the
 * resolver fails.
 */
export type Resolve = (name: string) => Promise<string[]>;

const LOCAL_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|onion)$/;
const LOOKUP_SECONDS = 5;

/**
 * Parses an http or https URL and rejects it unless its host is public. Names are resolved, and all of their
 * addresses must be public. Call this function for the first URL and for every redirect. The lookup uses
 * node:dns, which is DNS over HTTPS on Cloudflare. If a name changes its address between lookup and
 * connection, the change is not detected. Deployed Workers cannot reach private networks anyway.
 * `ALLOW_PRIVATE_ADDRESSES` skips all checks except that of the scheme.
 */
export async function guardUrl(
  input: string | URL,
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES'>,
  resolve?: Resolve,
): Promise<URL> {
  const url = parseHttpUrl(input);
  if (settings.ALLOW_PRIVATE_ADDRESSES) return url;
  if (url.username !== '' || url.password !== '') {
    throw new BadRequest('The URL must not contain a user name or password. Send them in a header.');
  }
  await resolvePublicAddresses(url.hostname, resolve);
  return url;
}

export interface GuardedHost {
  /**
   * Host name as the URL parser normalises it, without brackets. Certificates contain the name in this form.
   */
  name: string;
  /**
   * Addresses to connect to, which have been checked. If the installation allows private addresses, the list
   * contains only the host name.
   */
  addresses: string[];
  /** False if the installation allows private addresses. The host name was then not resolved. */
  isPublic: boolean;
}

/**
 * Returns the verified addresses of a host. Connecting to one of these addresses instead of the name prevents
 * DNS rebinding.
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
  return { name, addresses: await resolvePublicAddresses(url.hostname, resolve), isPublic: true };
}

/**
 * Returns the addresses of a host, and rejects if one of them is not public. The host must be normalised by
 * the URL parser, which converts decimal, octal and hexadecimal IPv4 forms. Connecting to these addresses
 * prevents DNS rebinding.
 */
export async function resolvePublicAddresses(
  hostname: string,
  resolve: Resolve = createResolver([resolve4, resolve6]),
): Promise<string[]> {
  const host = normalizeHost(hostname);
  if (!host.includes('.') && !host.startsWith('[')) throw createBlockedError(host);
  if (isPrivateHost(host)) throw createBlockedError(host);
  const literal = parseIpAddress(host);
  if (literal !== undefined) return [literal];
  const addresses = await resolve(host);
  if (addresses.length === 0) throw new BadRequest(`The host ${host} does not exist.`);
  if (!addresses.every(isPublicAddress)) throw createBlockedError(host);
  return addresses;
}

const normalizeHost = (hostname: string) => hostname.replace(/(?<!\.)\.+$/, '').toLowerCase();

/** Returns a host as an IP address without brackets, or `undefined` if the host is a name. */
function parseIpAddress(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1);
  return /^[\d.]+$/.test(host) ? host : undefined;
}

/**
 * Returns whether a host can be recognised as private without a lookup. This is the case for IP addresses
 * that are not public, and for names that only have a meaning inside a network. A public name with a private
 * address is not recognised here. `guardUrl` detects it when the URL is called.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = normalizeHost(hostname);
  const literal = parseIpAddress(host);
  return literal === undefined ? LOCAL_NAME.test(host) : !isPublicAddress(literal);
}

function parseHttpUrl(input: string | URL): URL {
  const url = URL.parse(String(input));
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new BadRequest('The URL must be an absolute http or https URL.');
  }
  return url;
}

function createBlockedError(host: string): BadRequest {
  return new BadRequest(
    `The address of ${host} is not public. Loopback, private, link-local and metadata addresses are refused.`,
  );
}

/** Creates a function that looks up the IPv4 and IPv6 addresses of a host and combines the results. */
export function createResolver(families: Resolve[]): Resolve {
  return async (name) => {
    const lookups = Promise.all(families.map((ask) => ask(name).catch(emptyIfNotFound)));
    const found = await withTimeout(lookups, LOOKUP_SECONDS).catch((cause: unknown) => {
      throw new Upstream(`The address of ${name} could not be looked up.`, { retryable: true, cause });
    });
    return found.flat();
  };
}

/**
 * Returns an empty list if the host has no address of the requested family (IPv4 or IPv6). Rethrows all other
 * lookup errors.
 */
function emptyIfNotFound(error: unknown): string[] {
  const code = (error as { code?: string }).code;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
  throw error;
}

/**
 * Returns whether an IP address is public. The address is dotted IPv4, or IPv6 without brackets. An IPv6
 * address with an embedded IPv4 address is public if the embedded address is public. Any other text is not
 * public.
 */
export function isPublicAddress(address: string): boolean {
  // Other IPv4 notations (octal, hexadecimal, fewer parts) are ambiguous and therefore not public.
  if (IPv4.isValidFourPartDecimal(address)) return IPv4.parse(address).range() === 'unicast';
  const groups = toHexGroups(address);
  if (groups === undefined) return false;
  const parsed = IPv6.parse(groups);
  const bytes = parsed.toByteArray();
  const range = parsed.range();
  if (range === 'ipv4Mapped' || parsed.match(NAT64)) return isPublicV4(bytes.slice(12));
  if (range === '6to4') return isPublicV4(bytes.slice(2, 6));
  return range === 'unicast' && parsed.match(GLOBAL_UNICAST);
}

/**
 * Rewrites an IPv6 address with hexadecimal groups only, because the library treats any dotted IPv4 part as a
 * mapped address. Returns `undefined` if the text is not an IPv6 address.
 */
function toHexGroups(address: string): string | undefined {
  if (!/^[\da-f:.]+$/i.test(address)) return undefined;
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
}
