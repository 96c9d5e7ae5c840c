/** Prefixes of the IANA special-purpose registries: nothing there is a public service. */
const BLOCKED_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

const toNumber = (address: string) =>
  address.split('.').reduce((value, part) => value * 256 + Number(part), 0);

const RANGES = BLOCKED_V4.map(([base, bits]) => ({ from: toNumber(base), size: 2 ** (32 - bits) }));

const isPublicNumber = (value: number) =>
  !RANGES.some(({ from, size }) => value >= from && value < from + size);

/** A dotted IPv4 address, or an IPv6 one without brackets. What is neither is not public. */
export function isPublicAddress(address: string): boolean {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) return isPublicNumber(toNumber(address));
  const groups = parseV6(address);
  return groups !== undefined && isPublicV6(groups);
}

/** Eight groups of 16 bits; undefined when the text is no IPv6 address. */
function parseV6(text: string): number[] | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text.split('%')[0]!);
  const value = dotted ? toNumber(dotted[2]!) : 0;
  const plain = dotted
    ? `${dotted[1]}${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
    : text.split('%')[0]!;
  const [head, tail, ...more] = plain.split('::').map((half) => (half === '' ? [] : half.split(':')));
  if (!head || more.length > 0) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...(tail ? [...Array<string>(missing).fill('0'), ...tail] : [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16));
}

/**
 * Only 2000::/3 is given out to the public; addresses in it that carry an IPv4 one are as public as that is.
 * 64:ff9b::/96 (NAT64) lies outside of it and carries one too.
 */
function isPublicV6(groups: number[]): boolean {
  const [a, b, c, d, e, f, g, h] = groups as [number, number, number, number, number, number, number, number];
  const v4 = (high: number, low: number) => isPublicNumber(high * 65536 + low);
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return v4(g, h);
  if ((a | b | c | d | e) === 0 && f === 0xffff) return v4(g, h);
  if ((a & 0xe000) !== 0x2000) return false;
  if (a === 0x2002) return v4(b, c);
  // Teredo and its neighbours (2001::/23), documentation (2001:db8::/32 and 3fff::/20).
  if (a === 0x2001 && (b < 0x200 || b === 0xdb8)) return false;
  return !(a === 0x3fff && b < 0x1000);
}
