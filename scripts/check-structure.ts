import {
  EXCEPTIONS_FILE,
  findExceptions,
  readExceptions,
  shrinkExceptions,
  writeExceptions,
} from './structure/exceptions.ts';
import { findProblems } from './structure/rules.ts';

/*
 * Fails if a function is longer than 80 lines, or if a folder of src directly contains more than 20 files.
 * Also fails if a file of src with fewer than 25 lines has a single importer, or if no file of the service
 * imports a file of src. scripts/structure/exceptions.json lists the places that already break these rules.
 * That list may only shrink.
 *
 *   --update  removes exceptions that are no longer needed, and lowers the others to the current sizes
 *   --init    writes a new list, for example after files were renamed; check what it adds
 */

const root = process.cwd();
const found = findExceptions(root);
const [option, ...rest] = process.argv.slice(2);

if (option === '--init' && rest.length === 0) {
  writeExceptions(root, found);
} else if (option === '--update' && rest.length === 0) {
  writeExceptions(root, shrinkExceptions(readExceptions(root), found));
} else if (option !== undefined) {
  console.error('Usage: node scripts/check-structure.ts [--update | --init]');
  process.exit(1);
} else {
  const problems = findProblems(found, readExceptions(root));
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    console.error(`The exceptions in ${EXCEPTIONS_FILE} may only shrink.`);
    process.exit(1);
  }
}
