import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXCEPTIONS_FILE, type Exceptions } from '#scripts/prose/exceptions.ts';

// Runs the check as `npm run check` does, in a small project of its own.

const SCRIPT = resolve('scripts/check-prose.ts');
const GLOSSARY =
  '# Glossary\n\n## Abbreviations\n\n| abbreviation | meaning |\n|---|---|\n| PDF | a file format |\n';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-prose-'));
  writeFile('docs/glossary.md', GLOSSARY);
  allow({});
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const allow = (exceptions: Exceptions) => writeFile(EXCEPTIONS_FILE, JSON.stringify(exceptions));
const readAllowed = () => JSON.parse(readFileSync(join(root, EXCEPTIONS_FILE), 'utf8')) as Exceptions;

/** Runs the check. Resolves to the messages that it prints, or to an empty text if it passes. */
async function check(...options: string[]): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, [SCRIPT, ...options], { cwd: root });
    return '';
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
}

const words = (count: number) => `${Array.from({ length: count }, () => 'word').join(' ')}.`;

describe('the prose check', () => {
  it('accepts plain comments and pages', async () => {
    writeFile('src/a.ts', '/** Returns the pages of a PDF. */\nexport function listPages() {}\n');
    writeFile('docs/a.md', '# Read a PDF\n\nThis page helps you to read a PDF.\n');
    expect(await check()).toBe('');
  });

  it.each([
    ['a banned word', '// Reads the file anew.\n', 'src/a.ts:1 banned word: "anew"'],
    ['a fragment', '\n/** What a page says. */\n', 'src/a.ts:2 fragment: What a page says.'],
    ['a long sentence', `// ${words(31)}\n`, 'src/a.ts:1 long sentence: 31 words'],
    ['an unexplained abbreviation', '// Opens the XYZ.\n', 'src/a.ts:1 abbreviation: XYZ'],
    ['a name that ends in "Of"', 'const pagesOf = () => 1;\n', 'src/a.ts:1 name: pagesOf'],
  ])('rejects %s in code', async (_, code, message) => {
    writeFile('src/a.ts', code);
    expect(await check()).toContain(message);
  });

  it.each([
    ['30 words', `// ${words(30)}\n`],
    ['code in backticks', '// Sends `ANEW XYZ` to the server.\n'],
    ['an instruction to a tool', '// biome-ignore lint/a/b: anew\n'],
    ['a method of the language', 'const indexOf = 1;\n'],
  ])('accepts %s', async (_, code) => {
    writeFile('src/a.ts', code);
    expect(await check()).toBe('');
  });

  it('checks paragraphs of pages, but no code blocks and tables', async () => {
    writeFile('docs/a.md', '# Title\n\n```sh\nanew\n```\n\n| anew |\n|---|\n\nRead it\nanew.\n');
    expect(await check()).toContain('docs/a.md:10 banned word');
    expect((await check()).match(/banned word/g)).toHaveLength(1);
  });

  it('allows at most the number of problems in the exceptions', async () => {
    writeFile('src/a.ts', '// Reads anew.\n');
    allow({ 'src/a.ts': { 'banned word': 1 } });
    expect(await check()).toBe('');
    writeFile('src/a.ts', '// Reads anew.\n\n// Writes anew.\n');
    expect(await check()).toContain('src/a.ts:3 banned word');
  });

  it('only lowers the exceptions with --update', async () => {
    writeFile('src/a.ts', '// Reads anew.\n');
    writeFile('src/b.ts', '// Reads anew.\n');
    allow({ 'src/a.ts': { 'banned word': 3, fragment: 1 }, 'src/gone.ts': { name: 1 } });
    expect(await check('--update')).toContain('src/b.ts:1');
    expect(readAllowed()).toEqual({ 'src/a.ts': { 'banned word': 1 } });
  });
});
