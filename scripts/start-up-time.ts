import { readFileSync } from 'node:fs';
import { wrangler } from './wrangler.ts';

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

const ROUNDS = 3;

/** Milliseconds that a Worker's script takes to be loaded and run once on this machine, the fastest of some rounds. */
export function startUpTime(config: string, profile: string): number {
  const times = Array.from({ length: ROUNDS }, () => {
    wrangler('check', 'startup', '-c', config, '--args=--env production', '--outfile', profile);
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(profile, 'utf8')) as Profile;
    const idle = nodes.find(({ callFrame }) => callFrame.functionName === '(idle)')?.id;
    return samples.reduce((sum, id, at) => sum + (id === idle ? 0 : (timeDeltas[at] ?? 0)), 0) / 1000;
  });
  return Math.min(...times);
}
