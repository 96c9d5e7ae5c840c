import { describe, expect, it } from 'vitest';
import { chunkLanguage } from '#src/ingest/chunk-language.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { detectLanguage } from '#src/lib/language.ts';
import { ParseError } from '#src/parsing/errors.ts';
import type { FileKind } from '#src/parsing/parser.ts';
import { openDocument } from '#src/parsing/registry.ts';
import { configured, plain, tools } from '#test/ingest/chunking/helpers.ts';
import { readAll } from '#test/suites/parser.suite.ts';

/** What is repeated, over and over, without anything else. */
const UNITS: Record<string, string> = {
  digits: '1',
  'digits and dots': '1.',
  'at signs': '@',
  addresses: 'a@b.',
  dots: '.',
  'dots and spaces': '. ',
  spaces: ' ',
  'a word and spaces': `a${' '.repeat(999)}`,
  newlines: '\n',
  'blank lines': ' \n',
  hyphens: '-',
  'list marks': '- ',
  pipes: '|',
  'table rows': '|-\n',
  quotes: '"',
  apostrophes: "'",
  'quotes and commas': '",',
  'less-than signs': '<',
  'open tags': '<a ',
  'open comments': '<!--',
  'open sections': '<![CDATA[',
  'greater-than signs': '>',
  'open brackets': '[',
  'open links': '[a](',
  'open pictures': '![',
  'closing brackets': ']',
  parentheses: '(',
  braces: '{',
  'closing braces': '}',
  stars: '*',
  underscores: '_a',
  backticks: '`',
  backslashes: '\\',
  tildes: '~',
  equals: '=',
  hashes: '# ',
  ampersands: '&',
  colons: ':',
  'header lines': 'a: b\n',
  'data URIs': '![](data:image/png;base64,',
  letters: 'x',
  capitals: 'X ',
  commas: ',',
  tabs: '\t',
  'form feeds': '\f',
  'carriage returns': '\r',
  ideographs: '数',
};

const PARSERS: Partial<Record<FileKind, { name: string; head: string }>> = {
  txt: { name: 'a.txt', head: '' },
  md: { name: 'a.md', head: 'text ' },
  csv: { name: 'a.csv', head: 'a,b\n' },
  tsv: { name: 'a.tsv', head: 'a\tb\n' },
  json: { name: 'a.json', head: '' },
  html: { name: 'a.html', head: '<!doctype html><html><p>' },
  xml: { name: 'a.xml', head: '<?xml version="1.0"?><a>' },
  eml: { name: 'a.eml', head: 'From: a@b\nSubject: c\nMessage-ID: <d>\n\n' },
  rtf: { name: 'a.rtf', head: '{\\rtf1 ' },
};

const LENGTH = 200_000;
/** With an end that no run of the unit may run into. */
const repeated = (unit: string, length: number) => `x${unit.repeat(Math.ceil(length / unit.length))}x`;

/** The clock of the runtime stands still until something is awaited. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  await scheduler.wait(0);
  const start = performance.now();
  await work();
  await scheduler.wait(0);
  return performance.now() - start;
}

/** Less than this is lost in the noise of a busy machine. */
const NOISE_MS = 150;
const CAP_MS = 15_000;

/** Work on twice the text costs about twice as much: quadratic work costs four times as much, each time. */
async function expectLinear(work: (length: number) => Promise<unknown>): Promise<void> {
  let ratio = Infinity;
  for (let attempt = 0; attempt < 4; attempt++) {
    const once = await timed(() => work(LENGTH));
    const twice = await timed(() => work(2 * LENGTH));
    expect(twice).toBeLessThan(CAP_MS);
    if (twice < NOISE_MS) return;
    ratio = Math.min(ratio, twice / Math.max(1, once));
    if (ratio < 3.5) return;
  }
  expect(ratio).toBeLessThan(3.5);
}

async function parsed(name: string, text: string): Promise<void> {
  try {
    const document = await openDocument({ bytes: new TextEncoder().encode(text), name, parameters: {} });
    await readAll(document);
    document.close();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    expect(String(error)).not.toMatch(/call stack|Invalid array length|out of memory/i);
  }
}

describe.each(Object.entries(PARSERS))('%s', (_, { name, head }) => {
  it.each(Object.entries(UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => parsed(name, head + repeated(unit, length)));
  });
});

describe('told by content', () => {
  it.each(Object.entries(UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => parsed('', repeated(unit, length)));
  });
});

const CHUNKERS = ['auto', 'character', 'token', 'sentence', 'semantic'];

describe.each(CHUNKERS)('%s chunks', (mode) => {
  const config = configured(
    mode === 'auto' ? { mode } : { chunking_config: { mode }, segmentation_config: { mode: 'element' } },
  );
  it.each(Object.entries(UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => chunkDocument(plain(`text ${repeated(unit, length)}`), config, tools));
  });
});

describe('languages', () => {
  it.each(Object.entries(UNITS))('%s', async (_, unit) => {
    await expectLinear(async (length) => {
      const text = repeated(unit, length);
      return [detectLanguage(text), chunkLanguage(text, 'en'), chunkLanguage(text, undefined)];
    });
  });
});

describe('very much of nothing', () => {
  it.each(['a.txt', 'a.md'])('%s of 20 MB of newlines', async (name) => {
    await parsed(name, `x${'\n'.repeat(20_000_000)}x`);
  });

  it('cuts no document into more chunks than can be stored', async () => {
    const text = 'a few words, and more. '.repeat(90_000);
    let pauses = 0;
    let most = 0;
    let counted = 0;
    const counting = {
      ...tools,
      countTokens(part: string) {
        counted += 1;
        most = Math.max(most, counted);
        return tools.countTokens(part);
      },
      async pause() {
        pauses += 1;
        counted = 0;
      },
    };
    const config = configured({ mode: 'auto', chunk_size: 1, chunk_overlap: 0 });
    await expect(chunkDocument(plain(text), config, counting)).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
    expect(pauses).toBeGreaterThan(100);
    // Pieces counted between two pauses, each in some microseconds.
    expect(most).toBeLessThan(20_000);
  });
});
