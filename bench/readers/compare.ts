/**
 * Compares two versions of the service under many readers, in turns: processor time per retrieval of the service's
 * process, and waiting times. Run with the checkout of the other version, in which dependencies are installed:
 * node bench/readers/compare.ts --before ../before [--chunks 500] [--readers 200] [--seconds 40] [--rounds 4]
 * [--variables REQUESTS_IN_FLIGHT=0,LOG_LEVEL=info]
 * `--variables` are environment variables of the other version, so that `--before .` compares two settings.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sleep } from '#test/process/service.ts';
import { query } from '../search/data.ts';
import { HTTP_MODES, HttpService } from '../search/http.ts';
import { fixed, percentile, printTable } from '../search/measure.ts';
import { QueryClient } from '../search/query-client.ts';

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    variables: { type: 'string', default: '' },
    chunks: { type: 'string', default: '500' },
    readers: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '4' },
  },
});
if (options.before === undefined) throw new Error('--before must name the folder of the other version');
const readers = Number(options.readers);
const WARM_UP_SECONDS = 8;
/** Milliseconds per clock tick of /proc, which is 100 Hz on Linux. */
const TICK_MS = 10;

interface Round {
  answers: number;
  processorMs: number;
  p50: number;
  p95: number;
  p99: number;
}

class Side {
  readonly name: string;
  readonly index: HttpService;
  readonly rounds: Round[] = [];
  /** Process that runs the service's Worker. */
  #pid = 0;

  constructor(name: string, folder: string, variables: Record<string, string> = {}) {
    this.name = name;
    this.index = new HttpService(variables, { folder });
  }

  async start(): Promise<void> {
    await this.index.start();
    await this.index.fill(Number(options.chunks));
    this.#pid = findServiceProcess(this.index.service.group);
    await this.#run(WARM_UP_SECONDS);
  }

  async measure(): Promise<void> {
    this.rounds.push(await this.#run(Number(options.seconds)));
  }

  /** Lets all readers send one question after the other for some seconds. */
  async #run(seconds: number): Promise<Round> {
    const client = new QueryClient(this.index.service, readers);
    const milliseconds: number[] = [];
    const before = readProcessorMs(this.#pid);
    let isOver = false;
    const end = sleep(1000 * seconds).then(() => {
      isOver = true;
    });
    const reader = async () => {
      while (!isOver) {
        const from = performance.now();
        const body = {
          query: query(FIRST_QUESTION + questions++).text,
          dense_similarity_top_k: 10,
          sparse_similarity_top_k: 10,
          ...HTTP_MODES.hybrid,
        };
        const failure = await client.ask(`${this.index.path}/retrieve`, body);
        if (failure !== undefined) throw new Error(`${this.name}: ${failure}`);
        milliseconds.push(performance.now() - from);
      }
    };
    await Promise.all([end, ...Array.from({ length: readers }, reader)]);
    client.end();
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(milliseconds, share)) as [
      number,
      number,
      number,
    ];
    const processorMs = readProcessorMs(this.#pid) - before;
    return { answers: milliseconds.length, processorMs, p50, p95, p99 };
  }

  describe() {
    const sum = (field: keyof Round) => this.rounds.reduce((total, each) => total + each[field], 0);
    const median = (measure: (round: Round) => number) => fixed(percentile(this.rounds.map(measure), 0.5));
    return {
      version: this.name,
      answers: sum('answers'),
      'processor ms each': fixed(sum('processorMs') / sum('answers')),
      'p50 ms': median(({ p50 }) => p50),
      'p95 ms': median(({ p95 }) => p95),
      'p99 ms': median(({ p99 }) => p99),
      'p99 to p50': median(({ p50, p99 }) => p99 / p50),
    };
  }
}

const FIRST_QUESTION = 10_000;
let questions = 0;

function findServiceProcess(group: number): number {
  const pids = execFileSync('pgrep', ['-g', String(group)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const found = pids.find((pid) =>
    readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes('SLUICE_PROCESS=service'),
  );
  if (found === undefined) throw new Error('the process of the service was not found');
  return Number(found);
}

function readProcessorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const variables = Object.fromEntries(
  options.variables
    .split(',')
    .filter(Boolean)
    .map((each) => each.split('=') as [string, string]),
);
const sides = [new Side('before', options.before, variables), new Side('now', '.')];
try {
  for (const side of sides) await side.start();
  // Every second round begins with the other version, because the load of the machine may change with time.
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.measure();
  }
  printTable(sides.map((side) => side.describe()));
} finally {
  for (const side of sides) await side.index.end();
}
process.exit(0);
