import { statSync } from 'node:fs';
import type { Plugin } from 'vitest/config';

/** Maximum size in bytes of the code in one message. Escaping makes the message longer. */
const MOST_BYTES = 16_000_000;

/**
 * Limits the messages with which workers receive modules. A worker that starts late asks for all modules that other
 * workers have loaded. The plugin of Cloudflare sends their code in one message, but the runtime closes the connection
 * with the code 1009 if a message has more than 32 MiB. The worker fetches modules that are left out one by one.
 */
export const limitSnapshots = (): Plugin => ({
  name: 'limit-snapshots',
  configureVitest({ project }) {
    const pool = project.config.poolRunner;
    if (!pool) return;
    project.config.poolRunner = {
      ...pool,
      createPoolWorker(options) {
        const worker = pool.createPoolWorker(options);
        const send = worker.send.bind(worker);
        worker.send = (message) => send(limitModules(message));
        return worker;
      },
    };
  },
});

/** Leaves out modules of a message beyond the maximum size. Returns other messages as they are. */
export function limitModules<Message extends object>(message: Message): Message {
  const modules: unknown = 'r' in message ? message.r : undefined;
  if (typeof modules !== 'object' || modules === null || Array.isArray(modules)) return message;
  const known = new Set<string>();
  let bytes = 0;
  const kept = Object.entries(modules).filter(([, module]) => {
    const path = getCodePath(module);
    if (path === undefined || known.has(path)) return true;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes + size > MOST_BYTES) return false;
    bytes += size;
    known.add(path);
    return true;
  });
  return known.size === 0 ? message : { ...message, r: Object.fromEntries(kept) };
}

/** Returns the path of the file with the code of a module. Returns `undefined` for anything else. */
function getCodePath(module: unknown): string | undefined {
  const isCached = typeof module === 'object' && module !== null && 'cached' in module && 'tmp' in module;
  return isCached && typeof module.tmp === 'string' ? module.tmp : undefined;
}
