import { globSync, readFileSync } from 'node:fs';
import { checkConsoleWords } from './console-words.ts';
import type { FileProblem } from './exceptions.ts';
import { checkNames, checkText } from './rules.ts';
import { readComments, readParagraphs } from './texts.ts';

const CODE = '{src,durable-objects,queues,parser,ocr,server,console/{src,test},scripts,bench}/**/*.{ts,tsx}';
const PAGES = ['*.md', 'docs/**/*.md'];

/**
 * Files that are not checked. The changelog of past releases is not rewritten, and generated tables contain
 * numbers and words of other languages.
 */
const SKIPPED = /^CHANGELOG\.md$|\/(?:translations-)?table\.ts$|\.d\.ts$/;

/** Files whose texts are shown in the console. */
const CONSOLE = /^console\/src\//;

/** Finds all problems in the comments, names and documentation of the project, by file and line. */
export function findProblems(abbreviations: ReadonlySet<string>): FileProblem[] {
  const code = globSync(CODE).filter((file) => !SKIPPED.test(file));
  const pages = globSync(PAGES).filter((file) => !SKIPPED.test(file));
  return [
    ...code.toSorted().flatMap((file) => checkCode(file, abbreviations)),
    ...pages.toSorted().flatMap((file) => checkPage(file, abbreviations)),
  ];
}

function checkCode(file: string, abbreviations: ReadonlySet<string>): FileProblem[] {
  const code = readFileSync(file, 'utf8');
  const comments = readComments(code).flatMap(({ text, line }) =>
    checkText(text, abbreviations, true).map((problem) => ({ file, line, ...problem })),
  );
  const names = code
    .split('\n')
    .flatMap((text, index) => checkNames(text).map((problem) => ({ file, line: index + 1, ...problem })));
  const words = CONSOLE.test(file) ? checkConsoleWords(file, code) : [];
  return [...comments, ...names, ...words];
}

function checkPage(file: string, abbreviations: ReadonlySet<string>): FileProblem[] {
  return readParagraphs(readFileSync(file, 'utf8')).flatMap(({ text, line }) =>
    checkText(text, abbreviations, false).map((problem) => ({ file, line, ...problem })),
  );
}
