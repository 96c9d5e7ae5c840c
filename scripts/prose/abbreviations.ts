import { readFileSync } from 'node:fs';

/** Page whose section "Abbreviations" explains every abbreviation that comments and documentation may use. */
export const ABBREVIATIONS_PAGE = 'docs/glossary.md';

/** Reads the abbreviations that the glossary explains: the first column of its table of abbreviations. */
export function readAbbreviations(): Set<string> {
  const [, section = ''] = readFileSync(ABBREVIATIONS_PAGE, 'utf8').split(/^## Abbreviations$/m);
  return new Set([...section.matchAll(/^\| ([A-Z][A-Za-z0-9-]+) \|/gm)].map(([, name]) => name!));
}
