import { expect, it } from 'vitest';
import { PEER_ADDRESS_HEADER, readClientAddress } from '#src/api/http/client-address.ts';

type AddressSettings = Parameters<typeof readClientAddress>[1];

const CLOUDFLARE = { 'cf-connecting-ip': '192.0.2.1' };
const PEER = { [PEER_ADDRESS_HEADER]: '192.0.2.2' };
const FORWARDED = { 'x-forwarded-for': '192.0.2.3, 192.0.2.4 ,192.0.2.5' };
const ALL = { ...CLOUDFLARE, ...PEER, ...FORWARDED, 'x-real-ip': '192.0.2.6' };

function read(headers: HeadersInit, settings: Partial<AddressSettings>): string {
  const request = new Request('https://service.example', { headers });
  return readClientAddress(request, { TRUSTED_PROXY: 'none', TRUSTED_PROXY_HOPS: 0, ...settings });
}

it.each<[string, HeadersInit, Partial<AddressSettings>, string]>([
  ['no header by default', ALL, {}, 'unknown'],
  ['only the header of Cloudflare', ALL, { TRUSTED_PROXY: 'cloudflare' }, '192.0.2.1'],
  ['no other header on Cloudflare', { ...PEER, ...FORWARDED }, { TRUSTED_PROXY: 'cloudflare' }, 'unknown'],
  ['only the header of the local server', ALL, { TRUSTED_PROXY: 'local' }, '192.0.2.2'],
  ['no header of Cloudflare elsewhere', CLOUDFLARE, { TRUSTED_PROXY: 'local' }, 'unknown'],
  ['the right-most entry behind one proxy', ALL, { TRUSTED_PROXY_HOPS: 1 }, '192.0.2.5'],
  ['the entry before it behind two proxies', ALL, { TRUSTED_PROXY_HOPS: 2 }, '192.0.2.4'],
  [
    'the peer if the proxy wrote nothing',
    PEER,
    { TRUSTED_PROXY: 'local', TRUSTED_PROXY_HOPS: 1 },
    '192.0.2.2',
  ],
  ['the peer if the list is too short', ALL, { TRUSTED_PROXY: 'local', TRUSTED_PROXY_HOPS: 4 }, '192.0.2.2'],
])('trusts %s', (_, headers, settings, expected) => {
  expect(read(headers, settings)).toBe(expected);
});

it('reads an IPv6 address as its network, and a mapped address as IPv4', () => {
  const local = { TRUSTED_PROXY: 'local' } as const;
  expect(read({ [PEER_ADDRESS_HEADER]: '2001:db8:1:2::9' }, local)).toBe('2001:db8:1:2');
  expect(read({ [PEER_ADDRESS_HEADER]: '::ffff:192.0.2.7' }, local)).toBe('192.0.2.7');
});

it('shortens a text that is not an address', () => {
  expect(read({ 'x-forwarded-for': 'x'.repeat(500) }, { TRUSTED_PROXY_HOPS: 1 })).toHaveLength(64);
});
