import type { MongoClient, MongoClientOptions } from 'mongodb';
import type { MongoAddress } from './address.ts';
import type { Found, FoundHost } from './hosts.ts';

/**
 * Milliseconds between the driver's own checks of the server. They are longer than any client lives, so no
 * such check is sent.
 */
const HEARTBEAT_MILLISECONDS = 600_000;

type Lookup = NonNullable<MongoClientOptions['lookup']>;

/**
 * Creates a client of one host. It uses at most two sockets: one for commands, and one for the driver's
 * detection of the server type. The driver is imported on first use because it is large.
 */
export async function createClient(
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
    // The runtime verifies the certificate against the host that it connects to, so with TLS the client must
    // connect by name. A name that was redirected to a private address fails, because the server there has no
    // certificate for it.
    ...(host.addresses && !options.tls && { lookup: createPinnedLookup(host.addresses) }),
  });
}

/**
 * Creates a DNS lookup that always returns the verified addresses, so that a changed DNS record cannot
 * redirect the connection.
 */
function createPinnedLookup(addresses: string[]): Lookup {
  const [address] = addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  const family = address!.includes(':') ? 6 : 4;
  return ((_name: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  }) as Lookup;
}
