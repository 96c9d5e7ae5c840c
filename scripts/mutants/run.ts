import { runChanged } from './changed-run.ts';
import { findStaleEquivalents } from './equivalents.ts';
import { printRooms } from './list.ts';
import { type Measured, measureRoom } from './measure.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { printRoom, printTable, reportFailures } from './report.ts';
import { findRoomProblems, listSourceFiles, MUTANT_ROOMS } from './rooms.ts';
import { numberMutants, rankMutants } from './sample.ts';

// Inserts bugs one at a time into the rooms listed in rooms.ts, and checks whether their tests fail. The
// source files are never changed. `--help` lists the options.

/** Measures the rooms, and returns whether this was possible for all of them. */
async function runRooms({ rooms, perRoom, seed }: Options): Promise<boolean> {
  const measured: Measured[] = [];
  for (const name of rooms) {
    const drawn = rankMutants(listSourceFiles(MUTANT_ROOMS[name]!), seed).slice(0, perRoom);
    const result = await measureRoom(name, numberMutants(drawn));
    printRoom(result);
    measured.push(result);
  }
  printTable(measured);
  return reportFailures(measured);
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.mode === 'help') {
    console.log(USAGE);
    return 0;
  }
  const problems = [...findRoomProblems(), ...findStaleEquivalents()];
  for (const problem of problems) console.error(`Error: ${problem}`);
  if (options.mode === 'list') printRooms();
  if (problems.length > 0) return 1;
  if (options.mode === 'changed') await runChanged(options);
  if (options.mode === 'rooms') return (await runRooms(options)) ? 0 : 1;
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error('\nnode scripts/mutants/run.ts --help lists the options.');
  process.exitCode = 2;
}
