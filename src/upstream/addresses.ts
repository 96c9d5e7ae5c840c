import ipaddr from 'ipaddr.js';

const { IPv4, IPv6 } = ipaddr;

/** All that is given out to the public; the rest of the space is special or unused. */
const GIVEN_OUT = IPv6.parseCIDR('2000::/3');
/** NAT64: the last four bytes are an IPv4 address. Its local neighbour 64:ff9b:1::/48 is nobody's business. */
const TRANSLATED = IPv6.parseCIDR('64:ff9b::/96');

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

const isPublicV4 = (bytes: number[]) => new IPv4(bytes).range() === 'unicast';

/** An IPv6 address without a dotted part, which the library takes for a mapped one wherever it stands. */
function inGroups(address: string): string | undefined {
  if (!/^[\da-f:.]+$/i.test(address)) return undefined;
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
}
