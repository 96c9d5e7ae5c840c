import { ABBREVIATIONS_PAGE, readAbbreviations } from './prose/abbreviations.ts';
import {
  countProblems,
  EXCEPTIONS_FILE,
  findNewProblems,
  readExceptions,
  shrinkExceptions,
  writeExceptions,
} from './prose/exceptions.ts';
import { findProblems } from './prose/problems.ts';

/*
 * Checks the English of comments and documentation: banned words, long sentences, fragments, unexplained abbreviations,
 * and names that end in "Of". Texts of the console may not use former labels, see scripts/prose/console-words.ts. scripts/prose/exceptions.json says how many problems each file may still have. That list
 * may only shrink. Spelling is checked by cspell, see cspell.json.
 *
 *   --all     prints the problems that are still excepted, too
 *   --update  lowers the exceptions to what is left
 */

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && !['--all', '--update'].includes(option))) {
  console.error('Usage: node scripts/check-prose.ts [--all | --update]');
  process.exit(2);
}

const problems = findProblems(readAbbreviations());
const exceptions = readExceptions();
if (option === '--update') writeExceptions(shrinkExceptions(exceptions, countProblems(problems)));

const shown = option === '--all' ? problems : findNewProblems(problems, exceptions);
for (const { file, line, rule, text } of shown) console.error(`${file}:${line} ${rule}: ${text}`);
if (shown.length > 0) {
  console.error(`${shown.length} sentences to rewrite. Explain abbreviations in ${ABBREVIATIONS_PAGE}.`);
  console.error(`The exceptions in ${EXCEPTIONS_FILE} may only shrink.`);
  process.exit(1);
}
