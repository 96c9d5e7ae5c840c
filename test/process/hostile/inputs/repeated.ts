import { buildDocument, type Input } from '#test/process/hostile/input.ts';
import { HOSTILE_UNITS, repeated as repeat } from '#test/support/linear-time.ts';

/** Start of a file of each text format. */
const HEADS: Record<string, string> = {
  'a.html': '<!doctype html><html><pre>',
  'b.html': '<!doctype html><html><p>',
  'a.md': 'text ',
  'a.csv': 'a,b\n',
  'a.tsv': 'a\tb\n',
  'a.xml': '<?xml version="1.0"?><a>',
  'a.eml': 'From: a@b.example\nSubject: c\nMessage-ID: <d>\n\n',
  'b.eml': 'From: a@b.example\nMessage-ID: <d>\nContent-Type: text/html\n\n<pre>',
  'a.rtf': '{\\rtf1 ',
};
const CHARACTERS = 60_000;

const inFormat = (file: string, unit: string) =>
  buildDocument(file, (HEADS[file] ?? '') + repeat(unit, CHARACTERS));

/** One short text over and over, in a file of each text format. */
export const repeated: Input[] = Object.entries(HOSTILE_UNITS).map(([name, unit]) => ({
  name: `repeated: ${name}`,
  document: () => inFormat('a.txt', unit),
  attack: (attacker, document) =>
    attacker.index(
      document,
      {},
      Object.keys(HEADS).map((file) => inFormat(file, unit)),
    ),
}));
