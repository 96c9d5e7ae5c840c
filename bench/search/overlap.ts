/**
 * Shows on how many threads the objects of one process run. Two objects compute at the same time, in one process and in
 * two processes, and the processor time of each thread is read afterwards. Run: node bench/search/overlap.ts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { COMPATIBILITY } from '../../scripts/build-workers.ts';
import { Runtime } from '../../server/runtime/runtime.ts';
import { extraBinding } from '../../server/runtime/sockets-plugin.ts';
import { freePort } from '../../test/process/service.ts';
import { fixed, printTable } from './measure.ts';

const CALLS = 40;
const ROUNDS = 30_000_000;
/** Milliseconds per clock tick of /proc, which is 100 Hz on Linux. */
const TICK_MS = 10;

const SCRIPT = `import { DurableObject } from 'cloudflare:workers';
export class Busy extends DurableObject {
  compute() {
    let sum = 0;
    for (let i = 0; i < ${ROUNDS}; i++) sum += Math.sqrt(i);
    return sum;
  }
}
export default {
  async fetch(request, { BUSY }) {
    await BUSY.getByName(new URL(request.url).pathname).compute();
    return new Response('done');
  },
};`;

async function startProcess(): Promise<{ runtime: Runtime; address: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const runtime = await Runtime.start({
    name: 'overlap',
    onOutput: () => {},
    workers: [
      {
        ...COMPATIBILITY,
        name: 'overlap',
        modules: true,
        script: SCRIPT,
        durableObjects: { BUSY: { className: 'Busy', useSQLite: true } },
        unsafeBindings: [
          extraBinding('PUBLIC_SOCKET', {
            kind: 'listen',
            socket: 'public',
            address,
            service: { name: 'core:user:overlap' },
          }),
        ],
      },
    ],
  });
  return { runtime, address };
}

/** Returns the processor time of each thread of a process in milliseconds, by thread id. */
function readThreads(pid: number): Map<string, number> {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(
    threads.map((thread) => {
      const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return [thread, (Number(fields[11]) + Number(fields[12])) * TICK_MS];
    }),
  );
}

const processes = [await startProcess(), await startProcess()];
const call = (process: number, object: string) => fetch(`http://${processes[process]!.address}/${object}`);

/** Lets two objects compute at the same time, and describes the threads that worked. */
async function measure(name: string, places: [number, string][]) {
  await Promise.all(places.map(([process, object]) => call(process, object)));
  const before = processes.map(({ runtime }) => readThreads(runtime.pid!));
  const start = performance.now();
  for (let done = 0; done < CALLS; done += 1) {
    await Promise.all(places.map(([process, object]) => call(process, object)));
  }
  const elapsed = performance.now() - start;
  const used = processes.flatMap(({ runtime }, at) =>
    [...readThreads(runtime.pid!)].map(([thread, ms]) => ms - (before[at]!.get(thread) ?? 0)),
  );
  const total = used.reduce((sum, ms) => sum + ms, 0);
  const busiest = used.toSorted((a, b) => b - a).slice(0, 2);
  return {
    objects: name,
    'elapsed ms': fixed(elapsed),
    'processor ms': total,
    'busiest thread': `${fixed((100 * busiest[0]!) / total)} %`,
    'second thread': `${fixed((100 * busiest[1]!) / total)} %`,
  };
}

const rows = [
  await measure('two in one process', [
    [0, 'a'],
    [0, 'b'],
  ]),
  await measure('one in each of two processes', [
    [0, 'a'],
    [1, 'b'],
  ]),
];
printTable(rows);
for (const { runtime } of processes) await runtime.stop();
process.exit(0);
