import { findChangedFiles } from './changed.ts';
import { type Measured, measureRoom, print } from './measure.ts';
import type { Options } from './options.ts';
import { judgeScore, printRoom, printTable, reportFailures } from './report.ts';
import { listSourceFiles, MUTANT_ROOMS } from './rooms.ts';
import { numberMutants, type Ranked, rankMutants, spreadOverRooms } from './sample.ts';

const MAX_MUTANTS = 60;

/**
 * Measures mutants in the changed files, within the time limit. A low score is printed and does not fail the
 * run, because a sample of one change may consist of mutants that no test can notice.
 */
export async function runChanged({ perRoom, seed, seconds }: Options): Promise<void> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  const changed = findChangedFiles();
  if (!changed) {
    console.log(
      'Nothing is measured: there is no earlier commit to compare with, because this is the first commit, a ' +
        'shallow clone or no git repository.',
    );
    return;
  }
  const drawn = drawChanged(new Set(changed.files), perRoom, seed);
  const since = `since commit ${changed.base.slice(0, 10)}`;
  if (drawn.size === 0) {
    console.log(`Nothing is measured: no source file of a room has changed ${since}.`);
    return;
  }
  const names = [...drawn].map(([room, mutants]) => `${room} (${mutants.length})`).join(', ');
  console.log(`Rooms with files that have changed ${since}, and their numbers of mutants: ${names}.`);
  judge(await measureInTime(drawn, deadline), seconds);
}

/** Draws mutants of the changed files of each room. Rooms without such mutants are left out. */
function drawChanged(changed: ReadonlySet<string>, perRoom: number, seed: string): Map<string, Ranked[]> {
  const ranked = new Map<string, Ranked[]>();
  for (const [name, room] of Object.entries(MUTANT_ROOMS)) {
    const files = listSourceFiles(room).filter((file) => changed.has(file));
    if (files.length > 0) ranked.set(name, rankMutants(files, seed).slice(0, perRoom));
  }
  return spreadOverRooms(ranked, MAX_MUTANTS);
}

/** Measures rooms of modules before rooms of the service, because tests of the service start slowly. */
async function measureInTime(
  drawn: ReadonlyMap<string, Ranked[]>,
  deadline: AbortSignal,
): Promise<Measured[]> {
  const isService = (name: string) => MUTANT_ROOMS[name]!.project === 'service';
  const measured: Measured[] = [];
  for (const [name, ranked] of [...drawn].toSorted(
    ([a], [b]) => Number(isService(a)) - Number(isService(b)),
  )) {
    const mutants = numberMutants(ranked);
    if (deadline.aborted) {
      measured.push({ room: name, mutants, results: new Map(), seconds: 0 });
      continue;
    }
    console.log(`Measuring ${name} …`);
    const result = await measureRoom(name, mutants, deadline);
    printRoom(result);
    measured.push(result);
  }
  return measured;
}

function judge(measured: Measured[], seconds: number): void {
  const late = measured.filter(({ failure }) => failure === undefined).flatMap(listUnmeasured);
  if (late.length > 0) {
    console.log(
      `The time limit of ${seconds} s (MUTANTS_SECONDS) is used up. Detected mutants are known first, so the ` +
        'score of the interrupted room may be too high. Mutants without a result:',
    );
    for (const mutant of late) print(mutant, 'not measured');
  }
  printTable(measured);
  judgeScore(measured);
  reportFailures(measured);
}

const listUnmeasured = ({ mutants, results }: Measured) => mutants.filter(({ id }) => !results.has(id));
