import {
  EXCEPTIONS_FILE,
  findExceptions,
  readExceptions,
  shrinkExceptions,
  writeExceptions,
} from './structure/exceptions.ts';
import { findProblems } from './structure/rules.ts';

/*
 * Fails if a function is longer than 80 lines, a folder of src holds more than 20 files directly, a file of src with
 * fewer than 25 lines has a single importer, or a file of src is imported by no file of the service.
 * scripts/structure/exceptions.json lists the places that break these rules already. That list may only shrink.
 *
 *   --update  removes exceptions that are no longer needed, and lowers the others to their present sizes
 *   --init    writes the list anew, for example after files were renamed; look at what it adds
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
