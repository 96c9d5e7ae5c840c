import { scheduler } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { openDocument } from '#src/formats/registry.ts';
import { detectChunkLanguage } from '#src/ingest/chunk-language.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { lockAgile } from '#test/formats/fixtures/locked-office.ts';
import { png } from '#test/formats/fixtures/pictures.ts';
import { docx, paragraph, run } from '#test/formats/fixtures/word.ts';
import { configured, plain, tools } from '#test/ingest/chunking/helpers.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { expectCost, expectLinear, HOSTILE_UNITS, repeated } from '#test/support/linear-time.ts';

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
  tex: { name: 'a.tex', head: '\\begin{document}' },
  adoc: { name: 'a.adoc', head: 'text\n\n' },
  rst: { name: 'a.rst', head: 'text\n\n' },
  org: { name: 'a.org', head: 'text\n\n' },
  vtt: { name: 'a.vtt', head: 'WEBVTT\n\n00:01.000 --> 00:02.000\n' },
  srt: { name: 'a.srt', head: '1\n00:00:01,000 --> 00:00:02,000\n' },
  code: { name: 'a.py', head: 'a\n' },
};

// Workers have this global object; Node exports it from a module.
beforeAll(() => void vi.stubGlobal('scheduler', scheduler));
afterAll(() => void vi.unstubAllGlobals());

const LENGTH = 12_000;

async function parsed(name: string, text: string): Promise<void> {
  try {
    const document = await openDocument({
      bytes: new TextEncoder().encode(text),
      name,
      plan: resolveParsePlan({}),
    });
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

describe('detected by content', () => {
  it.each(Object.entries(HOSTILE_UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => parsed('', repeated(unit, length)), LENGTH);
  });
});

it('a protected file with too many hashing rounds is rejected before hashing', async () => {
  const plain = docx(paragraph(run('Words')), await png());
  const refuse = async (claimedRounds: number) => {
    const bytes = lockAgile(plain, 'password', { claimedRounds });
    const opened = openDocument({ bytes, name: 'a', plan: resolveParsePlan({ password: 'password' }) });
    await expect(opened).rejects.toMatchObject({ reason: 'FILE_IS_PROTECTED' });
  };
  await expectCost(
    () => refuse(1_100_000),
    () => refuse(50_000),
  );
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
      return [detectLanguage(text), detectChunkLanguage(text, 'en'), detectChunkLanguage(text, undefined)];
    }, LENGTH);
  });
});
