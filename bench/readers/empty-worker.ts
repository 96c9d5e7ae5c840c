import { COMPATIBILITY } from '#scripts/build-workers.ts';
import { Runtime } from '#server/runtime/runtime.ts';
import { extraBinding } from '#server/runtime/sockets-plugin.ts';
import { freePort, ServiceClient } from '#test/process/service.ts';

/**
 * Worker that computes for the number of milliseconds in the path and then answers. It waits for nothing and
 * stores nothing.
 */
const WORKER = `export default {
  fetch(request) {
    const until = Number(new URL(request.url).pathname.slice(1)) * ROUNDS_PER_MS;
    let sum = 0;
    for (let i = 0; i < until; i++) sum += Math.sqrt(i);
    return new Response('"TextNodeWithScore"' + String(sum).slice(0, 0));
  },
};`;

/**
 * Worker of ten lines on the same kind of server, to measure what the clients get without Sluice. The clock
 * does not advance in a Worker that waits for nothing, so the work is counted in rounds that this process has
 * timed.
 */
export class EmptyWorker extends ServiceClient {
  readonly key = 'none';
  #runtime: Runtime | undefined;
  base = '';

  async start(): Promise<void> {
    const address = `127.0.0.1:${await freePort()}`;
    this.base = `http://${address}`;
    this.#runtime = await Runtime.start({
      name: 'floor',
      onOutput: (level, message) => console.error(level, message),
      workers: [
        {
          ...COMPATIBILITY,
          name: 'floor',
          modules: true,
          script: WORKER.replace('ROUNDS_PER_MS', String(countRoundsPerMillisecond())),
          unsafeBindings: [
            extraBinding('PUBLIC_SOCKET', {
              kind: 'listen',
              socket: 'public',
              address,
              service: { name: 'core:user:floor' },
            }),
          ],
        },
      ],
    });
  }

  async end(): Promise<void> {
    await this.#runtime?.stop();
  }
}

function countRoundsPerMillisecond(): number {
  const rounds = 20_000_000;
  let sum = 0;
  const started = performance.now();
  for (let i = 0; i < rounds; i++) sum += Math.sqrt(i);
  return Math.round(rounds / (performance.now() - started)) + (sum < 0 ? 1 : 0);
}
