import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Api } from './api.ts';
import { RequestFailure } from './failures.ts';

/**
 * Resolves the URL that a server gives for a file's content. A server on the internet must not direct this
 * machine to addresses of its private network. A server that is itself in the private network may.
 */
export async function resolveContentUrl(api: Api, given: string, base: string): Promise<URL> {
  const url = URL.canParse(given, base) ? new URL(given, base) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new RequestFailure(`content: the ${api.name} returned no valid URL for it`);
  }
  const { host, hostname } = new URL(api.base);
  if (url.host !== host && (await isPrivate(url.hostname)) && !(await isPrivate(hostname))) {
    throw new RequestFailure(`content: the ${api.name} returned a URL in this private network, ${url.host}`);
  }
  return url;
}

async function isPrivate(hostname: string): Promise<boolean> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(bare)
    ? [bare]
    : (await lookup(bare, { all: true }).catch(() => [])).map(({ address }) => address);
  return addresses.some((address) => ipaddr.process(address).range() !== 'unicast');
}
