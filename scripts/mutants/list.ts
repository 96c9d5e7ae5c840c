import { globSync } from 'node:fs';
import { listSourceFiles, listTestFiles, MUTANT_ROOMS } from './rooms.ts';
import { rankMutants } from './sample.ts';

/** Folders whose files may belong to a room. */
const SOURCES = '{src,durable-objects,queues,parser}/**/*.ts';

/** Prints the rooms with their numbers of files, and the source files without a room. Runs no test. */
export function printRooms(): void {
  const rows = Object.entries(MUTANT_ROOMS).map(([name, room]) => {
    const files = listSourceFiles(room);
    return { name, room, files, mutants: rankMutants(files, '1').length };
  });
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log(`${'room'.padEnd(width)}  project  files  mutants  test files`);
  for (const { name, room, files, mutants } of rows) {
    const numbers = [
      String(files.length).padStart(5),
      String(mutants).padStart(7),
      String(listTestFiles(room).length).padStart(10),
    ];
    console.log(`${name.padEnd(width)}  ${room.project}  ${numbers.join('  ')}`);
  }
  const inRooms = new Set(rows.flatMap(({ files }) => files));
  const others = globSync(SOURCES).filter((file) => !inRooms.has(file));
  const total = rows.reduce((sum, { mutants }) => sum + mutants, 0);
  console.log(`${rows.length} rooms, ${inRooms.size} source files, ${total} mutants.`);
  console.log(`\n${others.length} source files in no room, by folder:`);
  for (const [folder, files] of Map.groupBy(others.toSorted(), getFolder)) {
    console.log(`  ${folder}: ${files.map((file) => file.slice(folder.length + 1)).join(', ')}`);
  }
}

const getFolder = (file: string): string => file.slice(0, file.lastIndexOf('/'));
