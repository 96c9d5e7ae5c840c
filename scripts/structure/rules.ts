import { EXCEPTIONS_FILE, type Exceptions } from './exceptions.ts';
import { MAX_FILES_IN_FOLDER, MIN_LINES_OF_PART } from './file-measures.ts';
import { MAX_FUNCTION_LINES } from './functions.ts';

/** Structure rule that limits a size, with the texts of its messages. */
interface SizeRule {
  list: 'longFunctions' | 'crowdedFolders';
  unit: string;
  limit: number;
  advice: string;
}

const SIZE_RULES: readonly SizeRule[] = [
  {
    list: 'longFunctions',
    unit: 'lines',
    limit: MAX_FUNCTION_LINES,
    advice: 'Divide the function.',
  },
  {
    list: 'crowdedFolders',
    unit: 'files',
    limit: MAX_FILES_IN_FOLDER,
    advice: 'Divide the folder, or merge files that belong together.',
  },
];

/** Structure rule without a size, which a file either obeys or breaks. */
interface PathRule {
  list: 'smallFiles' | 'unimportedFiles';
  /** Description of the problem with advice, printed after the path of the file. */
  problem: string;
  /** Reason, for the message, why an exception is no longer needed. */
  reason: string;
}

const PATH_RULES: readonly PathRule[] = [
  {
    list: 'smallFiles',
    problem: `has fewer than ${MIN_LINES_OF_PART} lines and a single importer. Move its content into that file.`,
    reason: `it no longer exists, has at least ${MIN_LINES_OF_PART} lines, or has another number of importers`,
  },
  {
    list: 'unimportedFiles',
    problem: 'is not imported by any file of the service. List it in its registry, import it, or delete it.',
    reason: 'it no longer exists, or a file imports it',
  },
];

const UPDATE = 'Or run "node scripts/check-structure.ts --update".';

/**
 * Lists violations without an exception, and exceptions that allow more than the tree needs. Each message
 * explains what to do.
 */
export function findProblems(found: Exceptions, allowed: Exceptions): string[] {
  return [
    ...SIZE_RULES.flatMap((rule) => checkSizes(rule, found[rule.list], allowed[rule.list])),
    ...PATH_RULES.flatMap((rule) => checkPaths(rule, found[rule.list], allowed[rule.list])),
  ];
}

function checkSizes(
  { list, unit, limit, advice }: SizeRule,
  found: Record<string, number>,
  allowed: Record<string, number>,
): string[] {
  const tooLarge = Object.entries(found).flatMap(([place, size]) => {
    const most = allowed[place];
    if (most === undefined) return [`${place} has ${size} ${unit}; at most ${limit} are allowed. ${advice}`];
    if (size <= most) return [];
    return [`${place} has ${size} ${unit}; its exception in ${EXCEPTIONS_FILE} allows ${most}. ${advice}`];
  });
  const tooGenerous = Object.entries(allowed).flatMap(([place, most]) => {
    const size = found[place];
    if (size === undefined) {
      const reason = `it no longer exists, or has at most ${limit} ${unit}`;
      return [unneededException(list, place, reason)];
    }
    if (size >= most) return [];
    const entry = `"${place}": ${size}`;
    return [`${place} has ${size} ${unit} now. Write ${entry} in "${list}" of ${EXCEPTIONS_FILE}. ${UPDATE}`];
  });
  return [...tooLarge, ...tooGenerous];
}

function checkPaths(
  { list, problem, reason }: PathRule,
  found: readonly string[],
  allowed: readonly string[],
): string[] {
  const added = found.filter((path) => !allowed.includes(path));
  const unneeded = allowed.filter((path) => !found.includes(path));
  return [
    ...added.map((path) => `${path} ${problem}`),
    ...unneeded.map((path) => unneededException(list, path, reason)),
  ];
}

const unneededException = (list: string, place: string, reason: string) =>
  `${place} needs no exception: ${reason}. Remove it from "${list}" of ${EXCEPTIONS_FILE}. ${UPDATE}`;
