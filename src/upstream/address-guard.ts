import { resolve4, resolve6 } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';
import { withTimeout } from './timeout.ts';

const { IPv4, IPv6 } = ipaddr;

/** Globally assigned IPv6 unicast addresses. The remaining space is special or unused. */
const GIVEN_OUT = IPv6.parseCIDR('2000::/3');

/**
 * NAT64 prefix. The last four bytes are an IPv4 address. The local-use prefix 64:ff9b:1::/48 is not public.
 */
const TRANSLATED = IPv6.parseCIDR('64:ff9b::/96');

const isPublicV4 = (bytes: number[]) => new IPv4(bytes).range() === 'unicast';

/** Resolves a host name to addresses; an empty list if there are none. Rejects if the resolver fails. */
export type Resolve = (name: string) => Promise<string[]>;

const LOCAL_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|onion)$/;
const LOOKUP_SECONDS = 5;

/**
 * Parses an http(s) URL and rejects unless its host is public. Names are resolved, and all of their addresses
 * must be public. Call it for the first URL and for every redirect.
 * The lookup uses node:dns, which is DNS over HTTPS on Cloudflare. A name that changes its address between
 * lookup and connection is not detected; deployed Workers cannot reach private networks anyway.
 * `ALLOW_PRIVATE_ADDRESSES` skips all checks except that of the scheme.
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

/** A host to which a socket may be opened. */
export interface GuardedHost {
  /** Normalised name without brackets, as certificates contain it. */
  name: string;
  /** Addresses to connect to: verified ones, or the name itself if no check is needed. */
  addresses: string[];
  /** False if the installation allows private addresses, so that nothing was looked up. */
  isPublic: boolean;
}

/**
 * Returns the verified addresses of a host, under the same rules. Connecting to one of them instead of the
 * name excludes DNS rebinding.
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
 * Returns the addresses of a host as the URL parser normalises it, which converts decimal, octal and
 * hexadecimal IPv4 forms. Rejects if one of them is not public. Connecting to these addresses excludes DNS
 * rebinding.
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
 * Returns whether a normalised host is private without a lookup: an IP address that is not public, or a name
 * that only has a meaning inside a network. A public name with a private address passes; `guardUrl` detects
 * that at the call.
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

/** Resolves each address family and combines the results. */
export function lookUpWith(families: Resolve[]): Resolve {
  return async (name) => {
    const lookups = Promise.all(families.map((ask) => ask(name).catch(none)));
    const found = await withTimeout(lookups, LOOKUP_SECONDS).catch((cause: unknown) => {
      throw new Upstream(`The address of ${name} could not be looked up.`, { retryable: true, cause });
    });
    return found.flat();
  };
}

/** The absence of addresses of a family is a valid answer; other failures are errors. */
function none(error: unknown): string[] {
  const code = (error as { code?: string }).code;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
  throw error;
}

/**
 * Returns whether a dotted IPv4 address, or an IPv6 address without brackets, is public. An IPv6 address with
 * an embedded IPv4 address is as public as that one. Other text is not public.
 */
export function isPublicAddress(address: string): boolean {
  // Other notations (octal, hexadecimal, fewer parts) are ambiguous and therefore not public.
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

/**
 * Rewrites an IPv6 address as hexadecimal groups only, because the library treats any dotted IPv4 part as a
 * mapped address. Returns `undefined` if the text is no IPv6 address.
 */
function inGroups(address: string): string | undefined {
  if (!/^[\da-f:.]+$/i.test(address)) return undefined;
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
}
