import { readFileSync } from 'node:fs';
import { runWrangler } from './wrangler.ts';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

const ROUNDS = 3;

/**
 * Measures how many milliseconds this machine needs to load a Worker's script and run it once. Returns the fastest of
 * some rounds, or `undefined` if the first one could not be measured: on a busy machine wrangler's profiling may time out.
 */
export function measureStartUp(config: string, profile: string): number | undefined {
  let fastest: number | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const time = measureOnce(config, profile);
    // A further round would most likely wait for the same limit again.
    if (time === undefined) break;
    fastest = Math.min(time, fastest ?? time);
  }
  return fastest;
}

function measureOnce(config: string, profile: string): number | undefined {
  const args = ['check', 'startup', '-c', config, '--args=--env production', '--outfile', profile];
  if (runWrangler(args).status !== 0) return undefined;
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(profile, 'utf8')) as Profile;
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === '(idle)')?.id;
  return samples.reduce((sum, id, at) => sum + (id === idle ? 0 : (timeDeltas[at] ?? 0)), 0) / 1000;
}

/** Says what was measured, also if nothing could be measured. */
export const describeStartUp = (time: number | undefined): string =>
  time === undefined
    ? '        ? ms to start: it could not be measured, which happens on a busy machine'
    : `${time.toFixed(0).padStart(9)} ms to start, on this machine`;
