import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClaimLost, holdLease } from '#src/work/held-lease.ts';
import { HEARTBEAT_MS } from '#src/work/lease.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** Creates an owner that wants the work until `isWanted` is set to false. */
function owner() {
  const beats: [string, boolean][] = [];
  const state = { isWanted: true, isAway: false };
  const beat = async (step: string, progress: boolean) => {
    beats.push([step, progress]);
    if (state.isAway) throw new Error('the owner is away');
    return state.isWanted;
  };
  return { state, beats, hold: holdLease('me', beat) };
}

it('sends heartbeats until the work ends, even if the work reaches no checkpoint', async () => {
  const { beats, hold } = owner();
  await vi.advanceTimersByTimeAsync(2 * HEARTBEAT_MS);
  expect(beats).toEqual([
    ['starting', false],
    ['starting', false],
  ]);
  hold.end();
  await vi.advanceTimersByTimeAsync(5 * HEARTBEAT_MS);
  expect(beats).toHaveLength(2);
});

it('aborts the work once the owner has reclaimed it', async () => {
  const { state, hold } = owner();
  await hold.checkpoint('reading');
  state.isWanted = false;
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(hold.signal.aborted).toBe(true);
  await expect(hold.checkpoint('writing')).rejects.toBeInstanceOf(ClaimLost);
  hold.end();
});

it('asks the owner at a checkpoint if the heartbeat is overdue', async () => {
  const { state, beats, hold } = owner();
  await hold.checkpoint('reading');
  state.isWanted = false;
  vi.setSystemTime(Date.now() + HEARTBEAT_MS + 1);
  await expect(hold.checkpoint()).rejects.toBeInstanceOf(ClaimLost);
  expect(beats).toEqual([['reading', true]]);
  hold.end();
});

it('continues if the owner cannot be reached', async () => {
  const { state, beats, hold } = owner();
  state.isAway = true;
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  await hold.checkpoint('writing');
  expect(beats.length).toBeGreaterThan(0);
  expect(hold.signal.aborted).toBe(false);
  hold.end();
});
