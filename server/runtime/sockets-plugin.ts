import { rmSync } from 'node:fs';

/*
 * Plugin for Miniflare that adds what its options do not offer. It opens sockets that lead to a Worker
 * without Miniflare's own routing. It also binds Workers and buckets of another process, reached over a Unix
 * socket. Miniflare loads this file by its path.
 */

/**
 * Host name in the CONNECT request that opens a Cap'n Proto RPC session. Client and server must use the same
 * name.
 */
const RPC_HOST = 'sluice-rpc';

export type ExtraBinding =
  /**
   * Listens at an address and forwards requests to a service of the runtime. It adds no binding to the
   * Worker.
   */
  | {
      kind: 'listen';
      socket: string;
      address: string;
      service: { name: string; props?: { json: string } };
      isRpc?: boolean;
    }
  /** Binds a Worker of another process, with RPC. */
  | { kind: 'worker'; address: string }
  /** Binds a bucket of another process. */
  | { kind: 'bucket'; address: string }
  /**
   * Binds a queue whose messages are sent to a Worker of this process. The Worker reads the queue's name from
   * its properties.
   */
  | { kind: 'queue'; queue: string; worker: string };

interface Service {
  name: string;
  external: { address: string; http: { capnpConnectHost?: string } };
}

interface WorkerOptions {
  config: { env?: Record<string, { type: string; dev?: { options?: unknown } }> };
}

const PLUGIN = 'sluice-sockets';

function extraBindings({ config }: WorkerOptions): [name: string, binding: ExtraBinding][] {
  return Object.entries(config.env ?? {})
    .filter(([, { type }]) => type === `unsafe:${PLUGIN}`)
    .map(([name, { dev }]) => [name, dev!.options as ExtraBinding]);
}

const serviceName = (binding: string) => `${PLUGIN}:${binding}`;

export const plugins = {
  [PLUGIN]: {
    options: { parse: (options: unknown) => options },
    getNodeBindings: () => ({}),
    getBindings: async (options: WorkerOptions) =>
      extraBindings(options).flatMap(([name, binding]): object[] => {
        const { kind } = binding;
        if (kind === 'worker') return [{ name, service: { name: serviceName(name) } }];
        if (kind === 'bucket') return [{ name, r2Bucket: { name: serviceName(name) } }];
        if (kind === 'queue') {
          const props = { json: JSON.stringify({ queue: binding.queue }) };
          return [{ name, queue: { name: `core:user:${binding.worker}`, props } }];
        }
        return [];
      }),
    async getServices({ options }: { options: WorkerOptions }) {
      const services: Service[] = [];
      const sockets: unknown[] = [];
      for (const [name, binding] of extraBindings(options)) {
        if (binding.kind === 'listen') sockets.push(socketFor(binding));
        else if (binding.kind === 'worker' || binding.kind === 'bucket') {
          const http = binding.kind === 'worker' ? { capnpConnectHost: RPC_HOST } : {};
          services.push({ name: serviceName(name), external: { address: binding.address, http } });
        }
      }
      return { services, sockets, extensions: [] };
    },
  },
};

function socketFor({ socket, address, service, isRpc }: Extract<ExtraBinding, { kind: 'listen' }>) {
  // A process that was killed leaves its socket file behind, and the next process could not bind it.
  if (address.startsWith('unix:')) rmSync(address.slice('unix:'.length), { force: true });
  return { name: socket, address, service, http: isRpc ? { capnpConnectHost: RPC_HOST } : {} };
}

/** Builds a binding of this plugin in the form that Miniflare uses for unknown bindings. */
export const extraBinding = (name: string, options: ExtraBinding) => ({
  name,
  type: PLUGIN,
  plugin: { package: import.meta.filename, name: PLUGIN },
  options,
});
