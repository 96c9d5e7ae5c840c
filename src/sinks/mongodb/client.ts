import type { MongoClient, MongoClientOptions } from 'mongodb';
import type { MongoAddress } from './address.ts';
import type { Found, FoundHost } from './hosts.ts';

/** A client looks after its server by itself only so often, which is longer than clients live. */
const HEARTBEAT_MILLISECONDS = 600_000;

type Lookup = NonNullable<MongoClientOptions['lookup']>;

/**
 * A client of one host, which connects to that host alone, with two sockets at most: one for commands, one by which the
 * driver finds out what kind of server it is. The driver is loaded when it is first used: it is large.
 */
export async function openClient(
  { credentials, database, options }: MongoAddress,
  found: Found,
  host: FoundHost,
  milliseconds: number,
): Promise<MongoClient> {
  const { MongoClient } = await import('mongodb');
  const authSource = options.authSource ?? found.authSource ?? (database || undefined);
  const replicaSet = options.replicaSet ?? found.replicaSet;
  const most = (given: number | undefined) => Math.ceil(Math.min(given ?? milliseconds, milliseconds));
  return new MongoClient(`mongodb://${host.name}:${host.port}/`, {
    directConnection: true,
    tls: options.tls,
    ...(credentials && { auth: credentials }),
    ...(authSource !== undefined && credentials && { authSource }),
    ...(options.authMechanism && credentials && { authMechanism: options.authMechanism }),
    ...(replicaSet !== undefined && { replicaSet }),
    ...(options.appName !== undefined && { appName: options.appName }),
    ...(options.retryReads !== undefined && { retryReads: options.retryReads }),
    ...(options.retryWrites !== undefined && { retryWrites: options.retryWrites }),
    ...(options.w !== undefined && { writeConcern: { w: options.w } }),
    maxPoolSize: 1,
    serverMonitoringMode: 'poll',
    heartbeatFrequencyMS: HEARTBEAT_MILLISECONDS,
    serverSelectionTimeoutMS: most(options.serverSelectionTimeoutMS),
    connectTimeoutMS: most(options.connectTimeoutMS),
    socketTimeoutMS: most(options.socketTimeoutMS),
    waitQueueTimeoutMS: most(undefined),
    // The runtime asks for the certificate of what it connects to, so with TLS that is the name. One that has moved
    // inside since it was looked up meets no server there that has a certificate for it.
    ...(host.addresses && !options.tls && { lookup: pinned(host.addresses) }),
  });
}

/** The addresses that were checked are those that are connected to, whatever the name means by now. */
function pinned(addresses: string[]): Lookup {
  const [address] = addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  const family = address!.includes(':') ? 6 : 4;
  return ((_name: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  }) as Lookup;
}
