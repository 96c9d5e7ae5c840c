import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMessages } from './messages.ts';
import { NOT_SHOWN_FILES } from './not-translated.ts';
import { listPlaceholders, readPlaceholderName } from './placeholders.ts';
import { findShownStrings } from './shown-strings.ts';
import { readText } from './syntax.ts';

const CATALOGS = 'console/src/i18n/catalogs';

export type Catalogs = Record<string, Record<string, string>>;

/** Reads the source texts of the console by path. */
export function readSources(root: string): Record<string, string> {
  const files = globSync('console/src/**/*.{ts,tsx}', { cwd: root }).toSorted();
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Reads the translations of every language. */
export function readCatalogs(root: string): Catalogs {
  const files = readdirSync(join(root, CATALOGS)).toSorted();
  return Object.fromEntries(
    files.map((file) => [
      file.replace('.json', ''),
      JSON.parse(readFileSync(join(root, CATALOGS, file), 'utf8')) as Record<string, string>,
    ]),
  );
}

/**
 * Returns what is wrong with the messages of the console: shown strings that are no messages, calls with the
 * wrong values, and differences between the messages of the code and those of the catalogs.
 */
export function findMessageProblems(sources: Record<string, string>, catalogs: Catalogs): string[] {
  const used = new Set<string>();
  const problems: string[] = [];
  for (const [file, text] of Object.entries(sources)) {
    if (!NOT_SHOWN_FILES.has(file)) problems.push(...listUnwrapped(file, text));
    for (const message of findMessages(text)) {
      used.add(message.text);
      const problem = checkCall(message);
      if (problem) problems.push(`${file}:${message.line} ${problem}`);
    }
  }
  for (const [language, catalog] of Object.entries(catalogs))
    problems.push(...compareCatalog(language, catalog, used));
  return problems;
}

const listUnwrapped = (file: string, text: string) =>
  findShownStrings(text).map(({ node }) => {
    const shown = readText(node)!.trim().replace(/\s+/g, ' ');
    return `${file}:${node.loc!.start.line} "${shown}" is shown but not translated: wrap it in t() or rich()`;
  });

function checkCall({ text, values, isStatic }: ReturnType<typeof findMessages>[number]): string | undefined {
  if (isStatic) return `"${text}" is translated when the module is loaded: move it into a function`;
  const expected = tryListPlaceholders(text);
  if (typeof expected === 'string') return `"${text}" is no valid message: ${expected}`;
  if (!values) return undefined;
  const names = new Set([...expected].map(readPlaceholderName));
  const missing = [...names].filter((name) => !values.includes(name));
  if (missing.length > 0) return `"${text}" gets no value for ${missing.join(', ')}`;
  const surplus = values.filter((name) => !names.has(name));
  return surplus.length > 0 ? `"${text}" has no placeholder for ${surplus.join(', ')}` : undefined;
}

function compareCatalog(language: string, catalog: Record<string, string>, used: Set<string>): string[] {
  const problems: string[] = [];
  for (const text of used) {
    if (!Object.hasOwn(catalog, text)) problems.push(`${language}: "${text}" is not translated`);
  }
  for (const [text, translation] of Object.entries(catalog)) {
    if (!used.has(text)) problems.push(`${language}: "${text}" is not used`);
    const expected = tryListPlaceholders(text);
    const found = tryListPlaceholders(translation);
    if (typeof found === 'string')
      problems.push(`${language}: "${translation}" is no valid message: ${found}`);
    else if (typeof expected !== 'string' && !isEqual(expected, found))
      problems.push(`${language}: "${translation}" has other placeholders than "${text}"`);
  }
  return problems;
}

/** Lists the placeholders of a message, or returns the reason why it is not valid. */
function tryListPlaceholders(message: string): Set<string> | string {
  try {
    return listPlaceholders(message);
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

const isEqual = (one: Set<string>, other: Set<string>) =>
  one.size === other.size && [...one].every((each) => other.has(each));
