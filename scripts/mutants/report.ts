import type { Measured, Result } from './measure.ts';

/**
 * Minimum score of a run with `--changed`, over the measured mutants of all rooms. A single room has too few
 * mutants to be judged: of 20 mutants, a room that detects 90 % often misses 4 by chance.
 */
const MIN_SCORE = 0.75;
/** Score below which a room is pointed out. */
const LOW_ROOM_SCORE = 0.85;
/** Minimum number of measured mutants for which a score says something. */
const MIN_MUTANTS = 10;

export interface Counts {
  mutants: number;
  measured: number;
  detected: number;
  survived: number;
  'not reached': number;
  'timed out': number;
}

const COUNTED_AS = {
  failed: 'detected',
  passed: 'survived',
  'not reached': 'not reached',
  'timed out': 'timed out',
} as const satisfies Record<Result, keyof Counts>;

export function countResults(rooms: readonly Measured[]): Counts {
  const counts = { mutants: 0, measured: 0, detected: 0, survived: 0, 'not reached': 0, 'timed out': 0 };
  for (const { mutants, results } of rooms) {
    counts.mutants += mutants.length;
    counts.measured += results.size;
    for (const result of results.values()) counts[COUNTED_AS[result]] += 1;
  }
  return counts;
}

/**
 * Share of the measured mutants that the tests detected. Mutants that time out do not count as detected,
 * because a mutant may hang the tests, or the machine may be slow.
 */
const getScore = ({ detected, measured }: Counts): number => (measured === 0 ? 1 : detected / measured);

const formatScore = (counts: Counts): string => (counts.measured === 0 ? '-' : getScore(counts).toFixed(2));

export function printRoom(measured: Measured): void {
  const counts = countResults([measured]);
  console.log(`${measured.room}: ${counts.detected} of ${counts.measured} detected, ${formatScore(counts)}`);
}

const COLUMNS = ['mutants', 'measured', 'detected', 'survived', 'not reached', 'timed out'] as const;

/** Prints a row with the score and the counts of each room, and a row for all rooms. */
export function printTable(rooms: readonly Measured[]): void {
  const all = { name: 'all rooms', counts: countResults(rooms), seconds: sumSeconds(rooms) };
  const rows = rooms.map((room) => ({
    name: room.room,
    counts: countResults([room]),
    seconds: room.seconds,
  }));
  const width = Math.max(...[...rows, all].map(({ name }) => name.length));
  console.log(`\n${'room'.padEnd(width)}  score  ${COLUMNS.join('  ')}  seconds`);
  for (const { name, counts, seconds } of [...rows, all]) {
    const cells = COLUMNS.map((column) => String(counts[column]).padStart(column.length));
    const score = formatScore(counts).padStart('score'.length);
    const time = seconds.toFixed(0).padStart('seconds'.length);
    console.log(`${name.padEnd(width)}  ${score}  ${cells.join('  ')}  ${time}`);
  }
}

const sumSeconds = (rooms: readonly Measured[]): number =>
  rooms.reduce((sum, { seconds }) => sum + seconds, 0);

/** Prints why rooms could not be measured. Returns whether all of them were. */
export function reportFailures(rooms: readonly Measured[]): boolean {
  const failed = rooms.filter(({ failure }) => failure !== undefined);
  for (const { room, failure } of failed) {
    console.error(`FAILED: the room '${room}' could not be measured to the end. ${failure}`);
  }
  return failed.length === 0;
}

/** Judges a run with `--changed` by the score over all measured mutants, and prints why. */
export function judgeScore(rooms: readonly Measured[]): void {
  for (const room of rooms) {
    const counts = countResults([room]);
    if (counts.measured < MIN_MUTANTS || getScore(counts) >= LOW_ROOM_SCORE) continue;
    console.log(`Note: the tests of '${room.room}' detect only ${formatScore(counts)} of its mutants.`);
  }
  const counts = countResults(rooms);
  const score = `${counts.detected} of ${counts.measured} measured mutants were detected`;
  if (counts.measured < MIN_MUTANTS) {
    console.log(`${score}. Fewer than ${MIN_MUTANTS} mutants are too few to judge the tests.`);
    return;
  }
  if (getScore(counts) >= MIN_SCORE) {
    console.log(`${score}, ${formatScore(counts)}. The required score is ${MIN_SCORE}.`);
    return;
  }
  console.log(
    `Note: only ${score}, ${formatScore(counts)}. The required score is ${MIN_SCORE}. Add tests that fail ` +
      'with the mutants listed above, or list mutants that change no behaviour in ' +
      'scripts/mutants/equivalent.json.',
  );
}
