import ipaddr from 'ipaddr.js';
import type { Settings } from '#src/settings/settings.ts';

/**
 * Header in which the single-machine server passes the client's address. The server replaces any value that
 * the client sent.
 */
export const PEER_ADDRESS_HEADER = 'x-sluice-peer-address';

/** Header that each kind of trusted proxy overwrites, so that clients cannot choose its value. */
const PEER_HEADERS = {
  none: undefined,
  cloudflare: 'cf-connecting-ip',
  local: PEER_ADDRESS_HEADER,
} as const satisfies Record<Settings['TRUSTED_PROXY'], string | undefined>;

/** Address of clients that no trusted header identifies. All of them share one rate limit. */
const UNKNOWN_ADDRESS = 'unknown';
const MAX_ADDRESS_LENGTH = 64;

type AddressSettings = Pick<Settings, 'TRUSTED_PROXY' | 'TRUSTED_PROXY_HOPS'>;

/**
 * Returns the address to which the rate limits of a request apply. Only headers that a configured proxy
 * writes are used, because any client can send `CF-Connecting-IP` or `X-Forwarded-For`. An IPv6 address is
 * shortened to its /64 network, because a household usually has a whole network. Returns `unknown` if no
 * trusted header contains an address.
 */
export function readClientAddress(request: Request, settings: AddressSettings): string {
  const header = PEER_HEADERS[settings.TRUSTED_PROXY];
  const peer = header && request.headers.get(header);
  return toRateLimitAddress(readForwardedAddress(request, settings.TRUSTED_PROXY_HOPS) ?? peer);
}

/**
 * Returns the client address that the outermost of `hops` trusted proxies saw. Each proxy appends the address
 * of its client to `X-Forwarded-For`, so entries are counted from the right. Clients can only forge entries
 * further left. Returns `undefined` without trusted proxies, or if the list is too short.
 */
function readForwardedAddress(request: Request, hops: number): string | undefined {
  if (hops === 0) return undefined;
  const entries = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  return entries.at(-hops)?.trim() || undefined;
}

function toRateLimitAddress(text: string | null | undefined): string {
  if (!text) return UNKNOWN_ADDRESS;
  if (!ipaddr.isValid(text)) return text.slice(0, MAX_ADDRESS_LENGTH);
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const network = (address as ipaddr.IPv6).parts.slice(0, 4);
  return network.map((part) => part.toString(16)).join(':');
}
