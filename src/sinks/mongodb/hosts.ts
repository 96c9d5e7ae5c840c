import { resolveSrv, resolveTxt } from 'node:dns/promises';
import type { SinkDeps } from '#src/ports/sink.ts';
import { resolvePublicAddresses } from '#src/upstream/address-guard.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { type Host, type MongoAddress, parseHost } from './address.ts';
import { BadAddress } from './bad-address.ts';

export interface FoundHost extends Host {
  /**
   * Verified addresses of the host, to which connections without TLS are limited. Absent if the runtime may
   * resolve the name itself.
   */
  addresses?: string[];
}

/** Hosts of a URI, and options that the DNS records of a `mongodb+srv://` name add. */
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

const dns: Dns = { srv: resolveSrv, txt: resolveTxt, addresses: (name) => resolvePublicAddresses(name) };
const LOOKUP_SECONDS = 5;
const MAX_HOSTS = 50;

/**
 * Returns the hosts of a URI with their verified addresses. Rejects with BadRequest if an address is not
 * public. Sluice connects only to these hosts, even if a server names other members of its replica set.
 */
export async function findHosts(
  address: MongoAddress,
  { ALLOW_PRIVATE_ADDRESSES }: SinkDeps['settings'],
  by: Dns = dns,
): Promise<Found> {
  const found =
    address.srv === undefined ? { hosts: address.hosts } : await lookUpSrvRecords(address.srv, by);
  if (ALLOW_PRIVATE_ADDRESSES) return found;
  const hosts = found.hosts.map(async (host) => ({ ...host, addresses: await by.addresses(host.name) }));
  return { ...found, hosts: await Promise.all(hosts) };
}

async function lookUpSrvRecords(srv: string, by: Dns): Promise<Found> {
  const [records, texts] = await withTimeout(
    Promise.all([by.srv(`_mongodb._tcp.${srv}`), by.txt(srv).catch(emptyIfNotFound)]),
    LOOKUP_SECONDS,
  );
  const hosts = records
    .slice(0, MAX_HOSTS)
    .map(({ name, port }) => parseHost(`${name.replace(/\.$/, '')}:${port}`));
  if (hosts.length === 0) throw new BadAddress(`The DNS name ${srv} has no SRV records with hosts.`);
  const domain = getParentDomain(srv);
  const stranger = hosts.find(({ name }) => !name.endsWith(domain));
  if (stranger)
    throw new BadAddress(
      `The DNS name ${srv} refers to the host ${stranger.name}, which is in another domain.`,
    );
  return { hosts, ...parseTextRecord(texts) };
}

/**
 * Returns the domain to which all hosts in the SRV records must belong, because they receive the credentials.
 * For a name of two parts, this is the whole name.
 */
function getParentDomain(srv: string): string {
  const parts = srv.split('.');
  return `.${parts.length > 2 ? parts.slice(1).join('.') : srv}`;
}

function parseTextRecord(texts: string[][]): Pick<Found, 'authSource' | 'replicaSet'> {
  const options = new URLSearchParams(texts[0]?.join('') ?? '');
  const strange = [...options.keys()].find((name) => name !== 'authSource' && name !== 'replicaSet');
  if (strange || texts.length > 1)
    throw new BadAddress(
      'The DNS name must have at most one TXT record, with only the options authSource and replicaSet.',
    );
  return Object.fromEntries(options);
}

/** Returns an empty list if the name has no TXT records, because they are optional. */
function emptyIfNotFound(error: unknown): string[][] {
  const { code } = error as { code?: string };
  if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
  throw error;
}
