import { MUTANT_ROOMS } from './rooms.ts';

export const USAGE = `Inserts bugs (mutants) into the source one at a time, and checks whether the tests fail.

  node scripts/mutants/run.ts                     measures all rooms, 40 mutants each
  node scripts/mutants/run.ts claims 'sync runs'  measures the named rooms
  node scripts/mutants/run.ts --changed           measures the files that this branch or commit changes:
                                                  at most 20 mutants per room and 60 in total
  node scripts/mutants/run.ts --check             checks that all files named by the rooms exist
  node scripts/mutants/run.ts --list              lists the rooms without running a test
  node scripts/mutants/run.ts --help              shows this text

Environment variables:
  MUTANTS          number of mutants per room, or 'all'
  MUTANT_SEED      selects another sample of mutants; 1 by default
  MUTANTS_SECONDS  time limit of --changed in seconds; 120 by default
`;

export interface Options {
  mode: 'help' | 'check' | 'list' | 'changed' | 'rooms';
  /** Names of the rooms to measure in the mode 'rooms'. */
  rooms: string[];
  /** Maximum number of mutants per room. */
  perRoom: number;
  seed: string;
  /** Time limit of the mode 'changed', in seconds. */
  seconds: number;
}

const FLAGS = {
  '--help': 'help',
  '-h': 'help',
  '--check': 'check',
  '--list': 'list',
  '--changed': 'changed',
} as const;
const PER_ROOM = 40;
const PER_CHANGED_ROOM = 20;

/** Reads the command line and the environment. Throws an error for people if they are invalid. */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const mode = parseMode(args);
  const wanted = env.MUTANTS ?? String(mode === 'changed' ? PER_CHANGED_ROOM : PER_ROOM);
  return {
    mode,
    rooms: args.length > 0 ? [...new Set(args)] : Object.keys(MUTANT_ROOMS),
    perRoom: wanted === 'all' ? Number.POSITIVE_INFINITY : parsePositive('MUTANTS', wanted),
    seed: env.MUTANT_SEED ?? '1',
    seconds: parsePositive('MUTANTS_SECONDS', env.MUTANTS_SECONDS ?? '120'),
  };
}

function parseMode(args: readonly string[]): Options['mode'] {
  const [flag] = args;
  if (flag !== undefined && Object.hasOwn(FLAGS, flag)) {
    if (args.length > 1) throw new Error(`${flag} cannot be combined with other arguments.`);
    return FLAGS[flag as keyof typeof FLAGS];
  }
  const unknown = args.filter((name) => !Object.hasOwn(MUTANT_ROOMS, name));
  if (unknown.length === 0) return 'rooms';
  const names = unknown.map((name) => `'${name}'`).join(', ');
  throw new Error(`Unknown option or room: ${names}. node scripts/mutants/run.ts --list lists the rooms.`);
}

function parsePositive(variable: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0) return number;
  const all = variable === 'MUTANTS' ? " or 'all'" : '';
  throw new Error(`${variable} must be a positive whole number${all}, but is '${value}'.`);
}
