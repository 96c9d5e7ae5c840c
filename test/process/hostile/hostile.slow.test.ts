import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { memoryByProcess, totalMemory } from '#test/process/runtimes.ts';
import { Service, sleep } from '#test/process/service.ts';
import { Attacker, type Outcome, STILL_GOING, WITHOUT_REASON } from './attacker.ts';
import { buildDocument } from './input.ts';
import { INPUTS, PLAIN_INPUTS } from './inputs.ts';
import { type Seen, Watch } from './watch.ts';

/**
 * `npm run test:hostile` sets HOSTILE to `all`, which selects every input and compares with fixed limits. HOSTILE may
 * also be a part of the inputs' names. Without it, as in the plain test run, a few inputs are compared with an idle
 * service.
 */
const wanted = process.env.HOSTILE;
const isWhole = wanted !== undefined;
const inputs = isWhole
  ? INPUTS.filter(({ name }) => wanted === 'all' || name.includes(wanted))
  : PLAIN_INPUTS;

const MOST_WAIT_MS = 2_000;
/** In the plain run: how many times longer than its slowest idle request a request of the second tenant may take. */
const IDLE_TIMES = 100;
const MOST_GROWTH_MIB = 200;
/** Longer than the server keeps idle parser processes. */
const REST_MS = 120_000;
const NO_ANSWER = 'no answer';
const NOTHING = buildDocument('nothing.txt', '');

/** Short limits, so that a parser process that hangs is stopped soon. */
const service = new Service({ PARSER_SILENCE_SECONDS: '5', PARSER_CALL_SECONDS: '60' });
const watch = new Watch(service);
let project = '';
let mostWait = MOST_WAIT_MS;
let memoryAtStart = 0;
const rows: Record<string, unknown>[] = [];

beforeAll(async () => {
  await service.start();
  await watch.prepare();
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/projects', { name: 'hostile' });
  project = id;
  const idle = await watch.during(() => sleep(3_000));
  if (!isWhole) mostWait = IDLE_TIMES * idle.worst;
  memoryAtStart = idle.memoryAfter;
  report('idle', idle, { statuses: [], ends: [], reasons: [] });
});

/** One input that hangs the service must not fail the inputs after it. */
afterEach(async () => {
  if (await watch.isAnswered()) return;
  console.log('the service does not answer and is started by the test');
  await service.kill();
  await service.start();
});

afterAll(async () => {
  await service.end();
  console.table(rows);
});

function report(name: string, seen: Seen, { statuses, ends, reasons }: Outcome): void {
  const row = {
    input: name,
    'worst wait, ms': Math.round(seen.worst),
    end: [...new Set(ends)].join(' '),
    statuses: [...new Set(statuses)].join(' '),
    seconds: Math.round(seen.seconds),
    'highest MiB': Math.round(seen.memory),
    'MiB after': Math.round(seen.memoryAfter),
    'service restarted': seen.isSameService ? '' : 'yes',
    reason: [...new Set(reasons)].join(' | ').slice(0, 120),
  };
  rows.push(row);
  // A run of an hour shows its progress.
  if (isWhole) console.log(Object.values(row).join('\t'));
}

const LONG_NAMES = [
  'a PDF of 8 pages with 30,000 x 30,000 pixels',
  'chunk_size 1 on 2 MB',
  'a pattern that backtracks',
];

// Left out of the plain run because it starts the service twice.
if (isWhole) {
  it('server restarts after a kill during hostile work', async () => {
    const attacker = new Attacker(service, project);
    const long = INPUTS.filter(({ name }) => LONG_NAMES.includes(name));
    const made = await Promise.all(long.map(async ({ document }) => (await document?.()) ?? NOTHING));
    const ended = Promise.allSettled(long.map(({ attack }, at) => attack(attacker, made[at]!)));
    await sleep(2_000);
    await service.kill();
    await ended;
    await service.start();
    const seen = await watch.during(() => sleep(10_000));
    report('after it was killed', seen, { statuses: [], ends: [], reasons: [] });
    expect([...seen.statuses]).toEqual([200]);
    expect(seen.isSameService).toBe(true);
    expect(seen.worst).toBeLessThan(mostWait);
  });
}

describe('second tenant gets answers during', { retry: isWhole ? 0 : 1 }, () => {
  it.each(inputs)('$name', async ({ name, document, attack, ends: wantedEnds }) => {
    const attacker = new Attacker(service, project);
    const made = (await document?.()) ?? NOTHING;
    const seen = await watch.during(() =>
      attack(attacker, made).catch((error: unknown) => {
        attacker.outcome.ends.push(NO_ANSWER);
        attacker.outcome.reasons.push(String(error));
      }),
    );
    report(name, seen, attacker.outcome);
    const { statuses, ends } = attacker.outcome;
    expect.soft(statuses.filter((status) => status === 0 || status >= 500)).toEqual([]);
    expect.soft(ends.filter((end) => [STILL_GOING, NO_ANSWER, WITHOUT_REASON].includes(end))).toEqual([]);
    if (wantedEnds) expect.soft(ends).toEqual(wantedEnds);
    expect.soft([...seen.statuses].filter((status) => status !== 200)).toEqual([]);
    expect.soft(seen.isSameService).toBe(true);
    expect.soft(seen.worst).toBeLessThan(mostWait);
  });
});

// Memory of idle processes falls only after a minute, which is too long for the plain run.
if (isWhole) {
  it('memory returns to its initial level', async () => {
    let growth = Infinity;
    for (let waited = 0; waited < REST_MS && growth >= MOST_GROWTH_MIB; waited += 1_000) {
      await sleep(1_000);
      growth = totalMemory(service) - memoryAtStart;
    }
    console.log('MiB by process at the end', memoryByProcess(service));
    console.log(`memory at the start ${memoryAtStart} MiB, at the end ${memoryAtStart + growth} MiB`);
    expect(growth).toBeLessThan(MOST_GROWTH_MIB);
  });
}
