import { execFileSync } from 'node:child_process';
import type { SyncClient } from '#test/process/pipelines.ts';
import type { Service } from '#test/process/service.ts';

const SAMPLES = 20;

/** Event of the answer, as far as it is needed here. */
interface ImportEvent {
  type: string;
  documents: number;
  complete?: boolean;
}

interface Sample {
  seconds: number;
  stored: number;
  indexed: number;
  MiB: number;
  /** CPU time of all processes in seconds, which depends less on other load of the machine than the elapsed time. */
  cpu: number;
}

/**
 * Streams `count` documents into a new pipeline. Prints documents per second until they are stored and until they are
 * indexed, and the memory and CPU time of the service over time.
 */
export async function printLines(
  service: Service,
  client: SyncClient,
  count: number,
  text: (n: number) => string,
) {
  const id = await client.createPipeline();
  const countsPath = `/api/v1/pipelines/${id}/documents/status-counts`;
  const samples: Sample[] = [];
  const cpuBefore = measureProcesses().cpu;
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  let stored = 0;
  let isIndexed = false;
  const sampling = (async () => {
    for (let wait = 1000; !isIndexed; wait = samples.length >= SAMPLES ? thinOut(samples, wait) : wait) {
      const { counts } = await service.call<{ counts: Record<string, number> }>('GET', countsPath);
      const indexed = counts.SUCCESS ?? 0;
      const { MiB, cpu } = measureProcesses();
      samples.push({ seconds: Math.round(elapsed()), stored, indexed, MiB, cpu: cpu - cpuBefore });
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  })();
  const end = await streamLines(service, id, generateLines(count, text), (documents) => {
    stored = documents;
  });
  if (!end.complete) throw new Error(JSON.stringify(end));
  const storedSeconds = elapsed();
  const status = await client.untilFinished(id, null, 24 * 60 * 60_000);
  const seconds = elapsed();
  const cpu = measureProcesses().cpu - cpuBefore;
  isIndexed = true;
  await sampling;
  if (status.status !== 'SUCCESS') throw new Error(JSON.stringify(status));
  console.table(samples);
  const rate = (time: number) => Math.round(count / time);
  const milliseconds = ((1000 * cpu) / count).toFixed(2);
  console.log(
    `${count} documents: stored ${rate(storedSeconds)}/s, indexed ${rate(seconds)}/s, ${milliseconds} ms of CPU time each`,
  );
}

/** Keeps every second sample, and returns the doubled time between samples in milliseconds. */
function thinOut(samples: Sample[], wait: number): number {
  samples.splice(0, samples.length, ...samples.filter((_, index) => index % 2 === 0));
  return 2 * wait;
}

function* generateLines(count: number, text: (n: number) => string): Generator<string, undefined> {
  for (let n = 0; n < count; n += 1)
    yield `${JSON.stringify({ id: `note-${n}`, text: text(n), metadata: { n } })}\n`;
}

const LINES_AT_ONCE = 50;

async function streamLines(
  service: Service,
  id: string,
  lines: Generator<string, undefined>,
  onStored: (documents: number) => void,
): Promise<ImportEvent> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      let some = '';
      for (let taken = 0; taken < LINES_AT_ONCE; taken += 1) some += lines.next().value ?? '';
      if (some === '') controller.close();
      else controller.enqueue(encoder.encode(some));
    },
  });
  const response = await fetch(`${service.base}/api/v1/pipelines/${id}/documents/lines`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
  } as RequestInit);
  let rest = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n');
    rest = events.pop()!;
    for (const told of events) {
      const event = JSON.parse(told) as ImportEvent;
      if (event.type === 'end') return event;
      if (event.type === 'progress') onStored(event.documents);
      else throw new Error(told);
    }
  }
  throw new Error('the answer has no end');
}

/** Memory in MiB and CPU time in seconds of this process's descendants, which are those of the service. */
function measureProcesses(): { MiB: number; cpu: number } {
  const output = execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,cputimes='], { encoding: 'utf8' });
  const rows = output.trim().split('\n');
  const processes = rows.map(
    (row) => row.trim().split(/\s+/).map(Number) as [number, number, number, number],
  );
  const family = new Set([process.pid]);
  let kilobytes = 0;
  let cpu = 0;
  // Parents come before their children, unless process ids have wrapped around.
  for (const [pid, parent, size, seconds] of processes) {
    if (!family.has(parent)) continue;
    family.add(pid);
    kilobytes += size;
    cpu += seconds;
  }
  return { MiB: Math.round(kilobytes / 1024), cpu };
}
