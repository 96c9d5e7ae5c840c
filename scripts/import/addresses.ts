import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Api } from './api.ts';
import { RequestFailure } from './failures.ts';

/**
 * Where a server says that bytes are. A server on the internet may not send this machine to its own network; one
 * that is in it already may.
 */
export async function addressOf(api: Api, given: string, base: string): Promise<URL> {
  const url = URL.canParse(given, base) ? new URL(given, base) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new RequestFailure(`its content: the ${api.name} gives no address of it`);
  }
  const { host, hostname } = new URL(api.base);
  if (url.host !== host && (await isPrivate(url.hostname)) && !(await isPrivate(hostname))) {
    throw new RequestFailure(`its content: the ${api.name} names an address of this network, ${url.host}`);
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
