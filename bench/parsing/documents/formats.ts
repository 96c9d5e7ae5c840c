import { join } from 'node:path';
import { CORPORA, readManifest } from '../../corpora.ts';
import { normalise } from '../order.ts';
import { startReaders } from './readers.ts';

interface Item {
  file: string;
  type: string;
  group: string;
  must_contain?: string[];
  must_not_contain?: string[];
  /** Regular expressions on the Markdown, with the flags `m` and `u`. */
  must_match?: string[];
  must_not_match?: string[];
}

/** Returns the checks of a file that its Markdown does not pass, and the number of all its checks. */
export function checkFile(item: Item, markdown: string): { failed: string[]; count: number } {
  const text = normalise(markdown);
  const has = (phrase: string) => text.includes(normalise(phrase).trim());
  const matches = (pattern: string) => new RegExp(pattern, 'mu').test(markdown);
  const results: [string, boolean][] = [
    ...(item.must_contain ?? []).map((phrase): [string, boolean] => [`lacks “${phrase}”`, has(phrase)]),
    ...(item.must_not_contain ?? []).map((phrase): [string, boolean] => [`has “${phrase}”`, !has(phrase)]),
    ...(item.must_match ?? []).map((each): [string, boolean] => [`does not match /${each}/`, matches(each)]),
    ...(item.must_not_match ?? []).map((each): [string, boolean] => [`matches /${each}/`, !matches(each)]),
  ];
  return { failed: results.filter(([, holds]) => !holds).map(([name]) => name), count: results.length };
}

/** Prints the passed checks of `parse-formats` by group and reader, and the failed checks of the parser. */
export async function compareFormats(only: string): Promise<void> {
  const items = readManifest<Item[]>('parse-formats').filter(({ file }) => file.includes(only));
  const { readers, stop } = await startReaders();
  const rows = new Map<string, Record<string, string>>();
  const notes: string[] = [];
  let right = 0;
  for (const group of new Set(items.map((item) => item.group))) {
    const row: Record<string, string> = { group };
    for (const reader of readers) {
      let [passed, all] = [0, 0];
      for (const item of items.filter((each) => each.group === group)) {
        if (!reader.kinds.includes(item.type)) continue;
        const pages = await reader.read(join(CORPORA, 'parse-formats', item.file));
        const { failed, count } = checkFile(item, pages.join('\n\n'));
        passed += count - failed.length;
        all += count;
        if (reader.name !== 'Sluice') continue;
        if (failed.length === 0) right++;
        else notes.push(`${item.file}: ${failed.join('; ')}`);
      }
      if (all > 0) row[reader.name] = `${passed}/${all}`;
    }
    rows.set(group, row);
  }
  await stop();
  console.table([...rows.values()]);
  console.log(
    `Passed checks of less usual formats. Sluice reads ${right} of ${items.length} files without a failed check.`,
  );
  for (const note of notes) console.log(note);
}
