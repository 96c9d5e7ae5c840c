import { resolveSrv, resolveTxt } from 'node:dns/promises';
import type { SinkDeps } from '#src/ports/sink.ts';
import { publicAddressesOf } from '#src/upstream/address-guard.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { type Host, hostOf, type MongoAddress } from './address.ts';
import { BadAddress } from './bad-address.ts';

/** A host that may be connected to. */
export interface FoundHost extends Host {
  /** Where it was found to be; connections without TLS go there and nowhere else. Absent: wherever the runtime finds it. */
  addresses?: string[];
}

/** A `mongodb+srv://` name's records also say what the address itself leaves open. */
export interface Found {
  hosts: FoundHost[];
  authSource?: string;
  replicaSet?: string;
}

export interface Dns {
  srv(name: string): Promise<{ name: string; port: number }[]>;
  txt(name: string): Promise<string[][]>;
  addresses(name: string): Promise<string[]>;
}

const dns: Dns = { srv: resolveSrv, txt: resolveTxt, addresses: (name) => publicAddressesOf(name) };
const LOOKUP_SECONDS = 5;
const MOST_HOSTS = 50;

/**
 * The hosts of an address, each with addresses that are public; BadRequest when one is not. Only these are connected to:
 * what a server says of other members of its set is compared with them and never followed.
 */
export async function hostsAt(
  address: MongoAddress,
  { ALLOW_PRIVATE_ADDRESSES }: SinkDeps['settings'],
  by: Dns = dns,
): Promise<Found> {
  const found = address.srv === undefined ? { hosts: address.hosts } : await recordsOf(address.srv, by);
  if (ALLOW_PRIVATE_ADDRESSES) return found;
  const hosts = found.hosts.map(async (host) => ({ ...host, addresses: await by.addresses(host.name) }));
  return { ...found, hosts: await Promise.all(hosts) };
}

async function recordsOf(srv: string, by: Dns): Promise<Found> {
  const [records, texts] = await withTimeout(
    Promise.all([by.srv(`_mongodb._tcp.${srv}`), by.txt(srv).catch(none)]),
    LOOKUP_SECONDS,
  );
  const hosts = records
    .slice(0, MOST_HOSTS)
    .map(({ name, port }) => hostOf(`${name.replace(/\.$/, '')}:${port}`));
  if (hosts.length === 0) throw new BadAddress(`The name ${srv} has no hosts.`);
  const domain = domainOf(srv);
  const stranger = hosts.find(({ name }) => !name.endsWith(domain));
  if (stranger) throw new BadAddress(`The name ${srv} gives ${stranger.name}, which is in another domain.`);
  return { hosts, ...said(texts) };
}

/** The credentials are for this domain. A name of two parts has to be the whole end of its hosts. */
function domainOf(srv: string): string {
  const parts = srv.split('.');
  return `.${parts.length > 2 ? parts.slice(1).join('.') : srv}`;
}

function said(texts: string[][]): Pick<Found, 'authSource' | 'replicaSet'> {
  const options = new URLSearchParams(texts[0]?.join('') ?? '');
  const strange = [...options.keys()].find((name) => name !== 'authSource' && name !== 'replicaSet');
  if (strange || texts.length > 1)
    throw new BadAddress('The name’s text record says more than authSource and replicaSet.');
  return Object.fromEntries(options);
}

/** A name without texts is as good as one with an empty one. */
function none(error: unknown): string[][] {
  const { code } = error as { code?: string };
  if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
  throw error;
}
