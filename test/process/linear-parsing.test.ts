import { describe, expect, it } from 'vitest';
import { chunkLanguage } from '#src/ingest/chunk-language.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { detectLanguage } from '#src/lib/language.ts';
import { ParseError } from '#src/parsing/errors.ts';
import type { FileKind } from '#src/parsing/parser.ts';
import { openDocument } from '#src/parsing/registry.ts';
import { configured, plain, tools } from '#test/ingest/chunking/helpers.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { expectLinear, HOSTILE_UNITS, repeated } from '#test/support/linear-time.ts';

// Here and not beside the other tests of parsing: within a Worker no clock advances while it computes.

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

const LENGTH = 12_000;

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
  it.each(Object.entries(HOSTILE_UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => parsed(name, head + repeated(unit, length)), LENGTH);
  });
});

describe('told by content', () => {
  it.each(Object.entries(HOSTILE_UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => parsed('', repeated(unit, length)), LENGTH);
  });
});

const CHUNKERS = ['auto', 'character', 'token', 'sentence', 'semantic'];

describe.each(CHUNKERS)('%s chunks', (mode) => {
  const config = configured(
    mode === 'auto' ? { mode } : { chunking_config: { mode }, segmentation_config: { mode: 'element' } },
  );
  it.each(Object.entries(HOSTILE_UNITS))('%s', async (_, unit) => {
    await expectLinear(
      (length) => chunkDocument(plain(`text ${repeated(unit, length)}`), config, tools),
      LENGTH,
    );
  });
});

describe('languages', () => {
  it.each(Object.entries(HOSTILE_UNITS))('%s', async (_, unit) => {
    await expectLinear(async (length) => {
      const text = repeated(unit, length);
      return [detectLanguage(text), chunkLanguage(text, 'en'), chunkLanguage(text, undefined)];
    }, LENGTH);
  });
});
