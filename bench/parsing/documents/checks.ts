import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CORPORA, readManifest } from '../../corpora.ts';
import { measureDistanceToPart } from './measures.ts';
import { type PageReader, startReaders } from './readers.ts';
import { passesTableCheck, readTables, type TableCheck } from './table-cells.ts';

/** Check of the Markdown of one page, in the form of the benchmark olmOCR-bench (allenai/olmocr). */
type Check = { pdf: string; page: number; id: string; max_diffs?: number } & (
  | PresenceCheck
  | { type: 'order'; before: string; after: string }
  | ({ type: 'table' } & TableCheck)
  | { type: 'math'; math: string }
);

interface PresenceCheck {
  type: 'present' | 'absent';
  text: string;
  case_sensitive?: boolean;
  first_n?: number;
  last_n?: number;
}

/** Prepares a text for comparison: emphasis goes, and variants of blanks, quotes and dashes become one form. */
export function prepareText(text: string): string {
  return text
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/<\/?[bi]>/gi, '')
    .replace(/\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g, '')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~$])/g, '$1')
    .normalize('NFC')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„‟]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll('\u00b5', 'μ')
    .replace(/\s+/g, ' ');
}

/** Returns the formulas between `$$ $$`, `$ $`, `\[ \]` and `\( \)`. */
const listFormulas = (markdown: string): string[] =>
  [...markdown.matchAll(/\$\$([\s\S]+?)\$\$|\$([^$\n]+?)\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)/g)].map(
    (match) => match.slice(1).find((part) => part !== undefined) ?? '',
  );

/** Removes from a formula what does not change its meaning: labels, sizes, fonts, blanks and braces. */
const prepareFormula = (formula: string): string =>
  formula
    .replace(/\\(?:label|tag)\{[^}]*\}/g, '')
    .replace(
      /\\(?:left|right|big|Big|bigg|Bigg|mathrm|mathbf|mathit|mathsf|mathcal|boldsymbol|operatorname|text|textbf|textit|displaystyle|textstyle|limits|nolimits)(?![A-Za-z])/g,
      '',
    )
    .replace(/\\[,;:! ]/g, '')
    .replaceAll('\\prime', "'")
    .replace(/[\s{}]/g, '')
    .replace(/[.,]$/, '');

export function passes(check: Check, markdown: string): boolean {
  const page = prepareText(markdown);
  switch (check.type) {
    case 'present':
      return isPresent(check, page, check.max_diffs ?? 0);
    case 'absent':
      return !isPresent(check, page, check.max_diffs ?? 0);
    case 'order': {
      const [before, after] = [prepareText(check.before), prepareText(check.after)];
      const first = page.indexOf(before);
      return first >= 0 && page.lastIndexOf(after) > first;
    }
    case 'table':
      return passesTableCheck(readTables(markdown), check, prepareText);
    case 'math':
      return listFormulas(markdown).some((formula) =>
        prepareFormula(formula).includes(prepareFormula(check.math)),
      );
  }
}

function isPresent(check: PresenceCheck, page: string, differences: number): boolean {
  const fold = (text: string) => (check.case_sensitive === false ? text.toLowerCase() : text);
  const parts: string[] = [];
  if (check.first_n) parts.push(page.slice(0, check.first_n));
  if (check.last_n) parts.push(page.slice(-check.last_n));
  const text = fold(parts.length > 0 ? parts.join(' ') : page);
  // A replaced character is one difference, but one insertion and one deletion.
  return measureDistanceToPart(fold(prepareText(check.text)), text, 2 * differences) <= 2 * differences;
}

const TYPES = ['present', 'absent', 'order', 'table', 'math'] as const;

/** Prints how many checks of `parse-checks` each reader passes, by type, and the failed checks of the parser. */
export async function compareChecks(only: string): Promise<void> {
  const { tests } = readManifest<{ tests: string }>('parse-checks');
  const folder = join(CORPORA, 'parse-checks');
  const checks = readFileSync(join(folder, tests), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Check)
    .filter(({ pdf }) => pdf.includes(only));
  const { readers, stop } = await startReaders();
  const rows = [];
  const failed: string[] = [];
  for (const reader of readers.filter(({ kinds }) => kinds.includes('pdf'))) {
    const passed = await runChecks(reader, checks, join(folder, 'files'));
    rows.push(countByType(reader.name, checks, passed));
    if (reader.name === 'Sluice') failed.push(...checks.filter((check) => !passed.has(check)).map(describe));
  }
  await stop();
  console.table(rows);
  console.log('Passed checks of single PDF pages, by type.');
  for (const line of failed) console.log(`failed: ${line}`);
}

async function runChecks(reader: PageReader, checks: readonly Check[], folder: string): Promise<Set<Check>> {
  const passed = new Set<Check>();
  const pages = new Map<string, string[]>();
  for (const check of checks) {
    if (!pages.has(check.pdf)) pages.set(check.pdf, await reader.read(join(folder, basename(check.pdf))));
    if (passes(check, pages.get(check.pdf)![check.page - 1] ?? '')) passed.add(check);
  }
  return passed;
}

function countByType(reader: string, checks: readonly Check[], passed: ReadonlySet<Check>) {
  const count = (those: readonly Check[]) =>
    `${those.filter((check) => passed.has(check)).length}/${those.length}`;
  const byType = TYPES.map((type) => [type, count(checks.filter((check) => check.type === type))]);
  return { reader, all: count(checks), ...Object.fromEntries(byType) };
}

function describe({ id, type, pdf, page, ...rest }: Check): string {
  return `${id} (${type}): ${JSON.stringify(rest).slice(0, 160)}`;
}
