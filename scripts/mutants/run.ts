import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MUTANT_ROOMS, type MutantRoom, type RoomName } from './rooms.ts';
import { findMutants, type Mutant } from './schemata.ts';
import { type Numbered, Tests } from './tests.ts';

// Inserts bugs one at a time into the rooms listed in rooms.ts, and checks whether their tests fail:
//   npm run test:mutants            all rooms, 40 mutants each
//   npm run test:mutants -- claims  one room
// MUTANTS=all uses every mutant, and MUTANT_SEED selects another sample. The source files are never changed.

const WANTED = process.env.MUTANTS ?? '40';
const SEED = process.env.MUTANT_SEED ?? '1';
const FOLDER = 'node_modules/.mutants';

interface Equivalent extends Pick<Mutant, 'file' | 'within' | 'original' | 'replacement'> {
  /** Reason why the mutant changes no behaviour that a test could notice. */
  reason: string;
}
const equivalents = JSON.parse(readFileSync('scripts/mutants/equivalent.json', 'utf8')) as Equivalent[];

/**
 * Draws a sample of the mutants of a room, which depends only on the seed. Changing a line of a file does not
 * affect which other mutants are selected.
 */
function drawSample(room: MutantRoom): Numbered[] {
  const files = room.files.flatMap((pattern) => globSync(pattern)).toSorted();
  const all = files.flatMap((file) => findMutants(file, readFileSync(file, 'utf8'))).filter(isNotEquivalent);
  const seen = new Map<string, number>();
  const ranked = all.map((mutant) => {
    const name = [SEED, mutant.file, mutant.kind, mutant.original, mutant.replacement].join('\0');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return { mutant, rank: createHash('sha256').update(`${name}\0${times}`).digest('hex') };
  });
  const sorted = ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ mutant }) => mutant);
  const sample = WANTED === 'all' ? sorted : sorted.slice(0, Number(WANTED));
  return sample
    .toSorted((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1))
    .map((mutant, at) => ({ ...mutant, id: at + 1 }));
}

/** Returns false for mutants that are listed as equivalent, because they change no observable behaviour. */
function isNotEquivalent({ file, within, original, replacement }: Mutant): boolean {
  return !equivalents.some(
    (known) =>
      known.file === file &&
      known.within === within &&
      known.original === original &&
      known.replacement === replacement,
  );
}

async function measure(name: RoomName): Promise<number> {
  const room: MutantRoom = MUTANT_ROOMS[name];
  const mutants = drawSample(room);
  const files = room.tests.flatMap((pattern) => globSync(pattern));
  mkdirSync(FOLDER, { recursive: true });
  const plan = join(FOLDER, `${name.replaceAll(' ', '-')}.json`);
  writeFileSync(plan, JSON.stringify({ project: room.project, tests: files, mutants }));

  const tests = new Tests(plan);
  const reaching = await tests.findReaching(files);
  for (const mutant of mutants) if (!reaching.has(mutant.id)) print(mutant, 'not reached');
  const counts = { passed: 0, failed: 0, 'timed out': 0 };
  await tests.judge(reaching, (id, outcome) => {
    counts[outcome] += 1;
    if (outcome !== 'failed') print(mutants[id - 1]!, outcome === 'passed' ? 'survived' : 'timed out');
  });
  await tests.end();

  // Mutants that time out do not count as detected. A mutant may hang the tests, or the machine may be slow.
  const score = mutants.length === 0 ? 1 : counts.failed / mutants.length;
  const late = counts['timed out'] > 0 ? `; ${counts['timed out']} more timed out` : '';
  console.log(`${name}: ${counts.failed} of ${mutants.length} detected, ${score.toFixed(2)}${late}`);
  return score;
}

function print({ file, line, kind, original, replacement }: Mutant, outcome: string): void {
  const [from, to] = [original, replacement].map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 160));
  console.log(`  ${outcome}: ${file}:${line} ${kind}: ${from} => ${to}`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in MUTANT_ROOMS));
if (unknown.length > 0) {
  console.error(
    `Unknown room: ${unknown.join(', ')}. Possible rooms: ${Object.keys(MUTANT_ROOMS).join(', ')}.`,
  );
  process.exit(2);
}
const names = (wanted.length > 0 ? wanted : Object.keys(MUTANT_ROOMS)) as RoomName[];
const scores: [string, number][] = [];
for (const name of names) scores.push([name, await measure(name)]);
if (names.length > 1) console.log(scores.map(([name, score]) => `${score.toFixed(2)} ${name}`).join('\n'));
