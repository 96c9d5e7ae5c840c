import { readFileSync } from 'node:fs';
import { runWrangler } from './wrangler.ts';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Time in microseconds between each sample of the profile and the previous sample. */
  timeDeltas: number[];
}

const ROUNDS = 3;

/**
 * Measures how many milliseconds this machine needs to load a Worker's script and run it once. Returns the
 * fastest of several rounds. Returns `undefined` if the first round fails, because wrangler's profiling may
 * time out on a busy machine.
 */
export function measureStartUp(config: string, profile: string): number | undefined {
  let fastest: number | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const time = measureOnce(config, profile);
    // Stops measuring, because another round would probably exceed the same time limit.
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

/** Formats the measured time, or says that it could not be measured. */
export const describeStartUp = (time: number | undefined): string =>
  time === undefined
    ? '        ? ms start-up time (could not be measured, because the machine is busy)'
    : `${time.toFixed(0).padStart(9)} ms start-up time on this machine`;
