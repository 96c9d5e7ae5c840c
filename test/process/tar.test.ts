import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tarHeader } from '#src/lib/tar.ts';
import { createArchive, type Entry, textEntry } from '#src/services/exports/archive.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-tar-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const moment = new Date('2026-03-01T12:00:00Z');

it('archive is readable by the system tar for any name and size', async () => {
  const pieces = [new Uint8Array(700).fill(65), new Uint8Array(600).fill(66)];
  const contents: Record<string, string> = {
    'README.txt': 'Read me.\n',
    'empty.txt': '',
    'block.txt': 'x'.repeat(512),
    [`deep/${'long'.repeat(30)}/${'name'.repeat(30)}.txt`]: 'long',
    'files/Übersicht – 年報.txt': 'ünï',
    'pieces.bin': 'A'.repeat(700) + 'B'.repeat(600),
  };
  async function* entries(): AsyncGenerator<Entry> {
    for (const [name, text] of Object.entries(contents)) {
      if (name === 'pieces.bin') yield { name, size: 1_300, modified: moment, bytes: pieces };
      else yield textEntry(name, text, moment);
    }
  }
  const file = join(folder, 'export.tar');
  await pipeline(Readable.from(createArchive(entries())), createWriteStream(file));
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  execFileSync('tar', ['-xf', file, '-C', folder], { env });
  for (const [name, text] of Object.entries(contents)) {
    expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text);
  }
  const listed = execFileSync('tar', ['-tvf', file, '--utc', 'README.txt'], { env }).toString();
  expect(listed).toContain('2026-03-01 12:00');
});

it('header stores sizes above eight gibibytes', () => {
  const size = 9 * 1024 ** 3;
  const header = Buffer.from(tarHeader({ name: 'large.bin', size, modified: moment }));
  expect(header.toString('latin1')).toContain(` size=${size}\n`);
  expect(header.length).toBe(3 * 512);
});

it('archive fails if content and size differ', async () => {
  async function* entries(): AsyncGenerator<Entry> {
    yield { name: 'short.bin', size: 10, modified: moment, bytes: [new Uint8Array(9)] };
  }
  const read = async () => {
    for await (const _ of createArchive(entries()));
  };
  await expect(read()).rejects.toThrow('9 bytes instead of 10');
});
