import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { COMPATIBILITY, loadModules, WORKERS } from '#scripts/build-workers.ts';
import type { Log } from '../log.ts';
import type { LeaseServer } from '../parsers/lease-server.ts';
import { bucketSocket, parserSocket } from '../parsers/parser-process.ts';
import { Runtime } from '../runtime/runtime.ts';
import { extraBinding } from '../runtime/sockets-plugin.ts';
import { readBindings, type ServiceBindings } from './bindings.ts';
import type { Operations } from './operations.ts';

export interface ServiceProcessSettings {
  /** Address and port that the service listens on, in workerd's notation. */
  address: string;
  stateDir: string;
  /** Folder of the Unix sockets, which only this user can access. */
  socketFolder: string;
  variables: Record<string, string>;
  parserSlots: number;
  parserSilenceMs: number;
  leases: LeaseServer;
  operations: Operations;
  /** Entry of a replacement service, used by tests and measurements. */
  entry?: string | undefined;
  log: Log;
  onEnd: (reason: string) => void;
}

/**
 * Name of Miniflare's internal service for all local buckets. The properties of a binding select the bucket.
 */
const BUCKET_SERVICE = 'r2:bucket:entry';
const CLOSED_WORKER = `export default { fetch: () => new Response('Not found', { status: 404 }) }`;

/**
 * Starts the process that runs the service's Worker with the database, bucket, queues and Durable Objects. It
 * listens at the public address, and at a Unix socket through which the parser processes access the bucket.
 */
export function startService(settings: ServiceProcessSettings): Promise<Runtime> {
  const { address, stateDir, socketFolder, variables, operations, entry, log, onEnd } = settings;
  const { buildObjectEntryProps } = createRequire(import.meta.url)('miniflare') as typeof import('miniflare');
  const { queueProducers, queueConsumers, ...stores } = readBindings();
  const bucket = {
    name: BUCKET_SERVICE,
    props: { json: JSON.stringify(buildObjectEntryProps(stores.r2Buckets.FILES!)) },
  };
  return Runtime.start({
    name: 'service',
    onEnd,
    onOutput: (level, message) => {
      if (!operations.read(message)) log.relay('service', level, message);
    },
    stateDir,
    isStateful: true,
    workers: [
      // Miniflare's own port leads to the first Worker, so this Worker answers every request with 404. Only
      // this machine can reach that port.
      { ...COMPATIBILITY, name: 'sluice-closed', modules: true, script: CLOSED_WORKER },
      {
        ...COMPATIBILITY,
        ...loadModules('service', { ...WORKERS.service, entry }),
        ...stores,
        name: 'sluice',
        cacheAPI: false,
        stripCfConnectingIp: false,
        bindings: { ...variables, SUPERVISED: 'true' },
        serviceBindings: { PARSER: 'sluice-parser-pool', ASSETS: 'sluice-assets' },
        unsafeBindings: [
          ...Object.entries(queueProducers).map(([name, { queueName }]) =>
            extraBinding(name, { kind: 'queue', queue: queueName, worker: 'sluice-queue-broker' }),
          ),
          extraBinding('PUBLIC_SOCKET', {
            kind: 'listen',
            socket: 'public',
            address,
            service: { name: 'core:user:sluice' },
          }),
          extraBinding('BUCKET_SOCKET', {
            kind: 'listen',
            socket: 'bucket',
            address: `unix:${bucketSocket(socketFolder)}`,
            service: bucket,
          }),
        ],
      },
      {
        ...COMPATIBILITY,
        name: 'sluice-assets',
        modules: true,
        script: CLOSED_WORKER,
        assets: { directory: resolve('public') },
      },
      parserPoolWorker(settings),
      queueBrokerWorker(queueConsumers),
    ],
  });
}

function parserPoolWorker({ socketFolder, parserSlots, parserSilenceMs, leases }: ServiceProcessSettings) {
  const slots = Array.from({ length: parserSlots }, (_, slot) => slot);
  return {
    ...COMPATIBILITY,
    ...loadModules('parser-pool'),
    name: 'sluice-parser-pool',
    cacheAPI: false,
    bindings: { PARSER_SILENCE_MS: parserSilenceMs },
    serviceBindings: { SUPERVISOR: { node: leases.handle } },
    unsafeBindings: slots.map((slot) =>
      extraBinding(`PARSER_${slot}`, {
        kind: 'worker',
        address: `unix:${parserSocket(socketFolder, slot)}`,
      }),
    ),
  };
}

/** The queue broker stores messages only in memory, so its Durable Object must not be evicted. */
function queueBrokerWorker(consumers: ServiceBindings['queueConsumers']) {
  return {
    ...COMPATIBILITY,
    compatibilityFlags: [
      ...COMPATIBILITY.compatibilityFlags,
      'experimental',
      'service_binding_extra_handlers',
    ],
    ...loadModules('queue-broker'),
    name: 'sluice-queue-broker',
    cacheAPI: false,
    bindings: { CONSUMERS: consumers },
    durableObjects: {
      BROKERS: { className: 'QueueBroker', useSQLite: true, unsafePreventEviction: true },
    },
    serviceBindings: { CONSUMER: 'sluice' },
  };
}
