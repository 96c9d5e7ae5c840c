import type { MongoClient, MongoClientOptions } from 'mongodb';
import type { MongoAddress } from './address.ts';
import type { Found, FoundHost } from './hosts.ts';

/**
 * Interval in milliseconds at which the driver checks the server. It is longer than any client lives, so that
 * no check is sent.
 */
const HEARTBEAT_MILLISECONDS = 600_000;

type Lookup = NonNullable<MongoClientOptions['lookup']>;

/**
 * Creates a MongoDB client for one host. It uses one socket for commands and one to detect the server type.
 * The driver is imported on first use because it is large.
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
    // With TLS, the client connects by name, because the runtime checks the certificate against this name. A
    // name that was redirected to a private address fails this check.
    ...(host.addresses && !options.tls && { lookup: createPinnedLookup(host.addresses) }),
  });
}

/**
 * Creates a DNS lookup that always returns the verified addresses. A changed DNS record therefore cannot
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
