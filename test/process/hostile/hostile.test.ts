import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Service, sleep } from '#test/process/service.ts';
import { Attacker, type Outcome } from './attacker.ts';
import { documentOf } from './input.ts';
import { INPUTS } from './inputs.ts';
import { type Seen, Watch } from './watch.ts';

/** Everything with `npm run test:hostile`, a part of it with the other tests. HOSTILE names one input by a word. */
const wanted = process.env.HOSTILE;
const inputs = INPUTS.filter(({ name, short }) =>
  wanted === undefined ? short : wanted === 'all' || name.includes(wanted),
);

const MOST_WAIT_MS = 2_000;
/**
 * In the plain run: what a machine that runs other tests beside, and stalls, takes at most; and in terms of one answer at
 * rest. Whoever is held up by the whole of the work waits longer.
 */
const LOADED_WAIT_MS = 10_000;
const IDLE_TIMES = 20;
const MOST_MEMORY_MIB = 2_000;

const NOTHING = documentOf('nothing.txt', '');

const service = new Service();
const watch = new Watch(service);
let project = '';
let mostWait = MOST_WAIT_MS;
const rows: Record<string, unknown>[] = [];

beforeAll(async () => {
  await service.start();
  await watch.prepare();
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/projects', { name: 'hostile' });
  project = id;
  const idle = await watch.during(() => sleep(2_000));
  if (wanted === undefined) mostWait = Math.max(LOADED_WAIT_MS, IDLE_TIMES * idle.worst);
  report('at rest', idle, { statuses: [], ends: [] });
});

/** What hangs is told once, by the input that it hangs on. */
afterEach(async () => {
  if (await watch.isAnswered()) return;
  await service.kill();
  await service.start();
});

afterAll(async () => {
  await service.end();
  console.table(rows);
});

function report(name: string, seen: Seen, outcome: Outcome): void {
  rows.push({
    input: name,
    'worst wait, ms': Math.round(seen.worst),
    'its statuses': [...new Set(outcome.statuses)].join(' '),
    'its ends': [...new Set(outcome.ends)].join(' '),
    'memory, MiB': Math.round(seen.memory),
  });
}

/** Inputs that keep the runtime at work for a while. */
const LONG = [
  'a PDF of 8 pages with 30,000 x 30,000 pixels',
  'chunk_size 1 on 2 MB',
  'a pattern that backtracks',
];

// Two starts of the service are too much for the plain run.
if (wanted !== undefined) {
  it('comes up again after a cut in the middle of hostile work, and stays up', async () => {
    const attacker = new Attacker(service, project);
    const long = INPUTS.filter(({ name }) => LONG.includes(name));
    const made = await Promise.all(long.map(async ({ document }) => (await document?.()) ?? NOTHING));
    const ended = Promise.allSettled(long.map(({ attack }, at) => attack(attacker, made[at]!)));
    await sleep(2_000);
    await service.kill();
    await ended;
    await service.start();
    const seen = await watch.during(() => sleep(10_000));
    report('after a cut', seen, { statuses: [], ends: [] });
    expect([...seen.statuses]).toEqual([200]);
    expect(seen.isSameRuntime).toBe(true);
    expect(seen.worst).toBeLessThan(mostWait);
  });
}

describe('a second tenant goes on while somebody sends', () => {
  it.each(inputs)('$name', async ({ name, document, attack, mostWaitMs = mostWait, ends: wantedEnds }) => {
    const attacker = new Attacker(service, project);
    const made = (await document?.()) ?? NOTHING;
    const seen = await watch.during(() =>
      attack(attacker, made).catch(() => attacker.outcome.ends.push('no answer')),
    );
    report(name, seen, attacker.outcome);
    const { statuses, ends } = attacker.outcome;
    expect(statuses.filter((status) => status === 0 || status >= 500)).toEqual([]);
    expect(ends.filter((end) => end === 'still going' || end === 'no answer')).toEqual([]);
    if (wantedEnds) expect(ends).toEqual(wantedEnds);
    expect([...seen.statuses].filter((status) => status !== 200)).toEqual([]);
    expect(seen.isSameRuntime).toBe(true);
    expect(seen.worst).toBeLessThan(mostWaitMs);
    expect(seen.memory).toBeLessThan(MOST_MEMORY_MIB);
  });
});
