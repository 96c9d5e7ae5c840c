import { findMessageProblems, readCatalogs, readSources } from './messages/problems.ts';

/*
 * Fails if the console shows a string that cannot be translated, or if a message lacks a translation or is no
 * longer used. Also fails if a translation has other placeholders than its English message.
 */

const root = process.cwd();
const problems = findMessageProblems(readSources(root), readCatalogs(root));
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
