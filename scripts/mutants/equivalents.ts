import { existsSync, readFileSync } from 'node:fs';
import { findMutants, type Mutant } from './schemata.ts';

const LIST = 'scripts/mutants/equivalent.json';

/** Mutant that changes no behaviour that a test could notice. Such mutants are never measured. */
interface Equivalent extends Pick<Mutant, 'file' | 'within' | 'original' | 'replacement'> {
  /** Reason why no test can notice the mutant. */
  reason: string;
}

const equivalents = JSON.parse(readFileSync(LIST, 'utf8')) as Equivalent[];

export const isEquivalent = (mutant: Mutant): boolean =>
  equivalents.some((known) => isSameChange(known, mutant));

/** Returns a message for each listed mutant that the current source no longer contains. */
export const findStaleEquivalents = (): string[] =>
  equivalents
    .filter((known) => !listMutants(known.file).some((mutant) => isSameChange(known, mutant)))
    .map(
      ({ file, within, original, replacement }) =>
        `${LIST}: ${file} no longer contains the mutant ${original} => ${replacement} in the line '${within}'. ` +
        'Remove or update the entry.',
    );

const listMutants = (file: string): Mutant[] =>
  existsSync(file) ? findMutants(file, readFileSync(file, 'utf8')) : [];

const isSameChange = (a: Omit<Equivalent, 'reason'>, b: Omit<Equivalent, 'reason'>): boolean =>
  a.file === b.file && a.within === b.within && a.original === b.original && a.replacement === b.replacement;
