import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DamagedBackup, Directory, readLines } from '#scripts/backup/directory.ts';
import { generateKey, parseKey } from '#scripts/backup/key.ts';
import { type Manifest, readManifest, writeManifest } from '#scripts/backup/manifest.ts';
import { Progress } from '#scripts/backup/progress.ts';
import { verifyBackup } from '#scripts/backup/verify.ts';

const key = generateKey();
const PROJECT = '3f1c7c1e-6f5b-4f0e-9d0a-5d8f6c1b2a30';
const OTHER = '7a1c7c1e-6f5b-4f0e-9d0a-5d8f6c1b2a31';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

let place: string;
let directory: Directory;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sluice-hostile-'));
  directory = new Directory(place);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/**
 * Writes a backup of a project with a row and an object. `object` overrides the description of the object.
 */
function make(object: object = {}): Manifest {
  const rows = `${JSON.stringify({ id: PROJECT, name: 'Harbour' })}\n`;
  write(directory.table('projects'), rows);
  const bytes = 'bytes of a file';
  write(directory.object(hash(bytes)), bytes);
  const line = {
    key: `projects/${PROJECT}/files/a/b`,
    size: bytes.length,
    sha256: hash(bytes),
    metadata: null,
    ...object,
  };
  const list = `${JSON.stringify(line)}\n`;
  write(directory.objectList(), list);
  const manifest: Manifest = {
    sluice_backup: 1,
    id: OTHER,
    made_at: '2026-11-23T08:00:00.000Z',
    release: '0.1.0',
    project: PROJECT,
    key_id: key.id,
    tables: [
      {
        name: 'projects',
        columns: ['id', 'name'],
        rows: 1,
        bytes: Buffer.byteLength(rows),
        sha256: hash(rows),
      },
    ],
    objects: { count: 1, bytes: bytes.length, list: { bytes: Buffer.byteLength(list), sha256: hash(list) } },
  };
  writeManifest(directory, manifest, key);
  return manifest;
}

const verified = () => verifyBackup(directory, readManifest(directory, key)!, new Progress());

/** Flips one bit of the second-last byte. */
function change(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 2]! ^= 1;
  writeFileSync(path, bytes);
}

it('accepts an unchanged backup directory', async () => {
  make();
  await verified();
});

describe('detects a changed byte', () => {
  it.each([
    ['in a table', () => directory.table('projects')],
    ['in the list of objects', () => directory.objectList()],
    ['in an object', () => directory.object(hash('bytes of a file'))],
  ])('%s', async (_, path) => {
    make();
    change(path());
    await expect(verified()).rejects.toThrow(`${path()} was changed`);
  });

  it('in the manifest', () => {
    make();
    const path = directory.manifest();
    writeFileSync(path, readFileSync(path, 'utf8').replace('0.1.0', '0.1.1'));
    expect(() => readManifest(directory, key)).toThrow(`${path} was changed`);
  });

  it('even if the hashes in the manifest were changed too', () => {
    const manifest = make();
    const rows = `${JSON.stringify({ id: PROJECT, name: 'Other' })}\n`;
    write(directory.table('projects'), rows);
    const table = { ...manifest.tables[0]!, bytes: Buffer.byteLength(rows), sha256: hash(rows) };
    writeManifest(directory, { ...manifest, tables: [table] }, { ...generateKey(), id: key.id });
    expect(() => readManifest(directory, key)).toThrow('was changed');
  });
});

describe('detects missing data:', () => {
  it('an object file', async () => {
    make();
    const path = directory.object(hash('bytes of a file'));
    rmSync(path);
    await expect(verified()).rejects.toThrow(
      `${path} is missing. It should contain the object projects/${PROJECT}/files/a/b`,
    );
  });

  it('a table file', async () => {
    make();
    rmSync(directory.table('projects'));
    await expect(verified()).rejects.toThrow('projects.ndjson is missing');
  });

  it('the end of a line', async () => {
    make();
    appendFileSync(directory.table('projects'), '{"id":');
    const read = async () => {
      for await (const { value } of readLines(directory.table('projects'))) expect(value).toBeTruthy();
    };
    await expect(read()).rejects.toThrow('line 2 is incomplete');
  });
});

describe('rejects object keys outside of their project:', () => {
  it.each([
    [`projects/${PROJECT}/../${OTHER}/files/a`],
    ['../../etc/passwd'],
    [`projects/${PROJECT}/files/./a`],
    [`projects/${PROJECT}//a`],
    [`projects/${PROJECT}/a\nb`],
    [`restores/${PROJECT}/order.json`],
  ])('%j', async (objectKey) => {
    make({ key: objectKey });
    await expect(verified()).rejects.toThrow(
      `the key ${JSON.stringify(objectKey)} is not in the folder of a project`,
    );
  });

  it('of another project', async () => {
    make({ key: `projects/${OTHER}/files/a/b` });
    await expect(verified()).rejects.toThrow(`projects/${OTHER}/files/a/b belongs to another project`);
  });

  it('with an invalid hash', async () => {
    make({ sha256: '../../../../etc/passwd' });
    await expect(verified()).rejects.toThrow('line 1 is not a valid entry of the list of objects');
  });
});

it('rejects a line that is too long', async () => {
  write(directory.objectList(), '{}\n');
  const part = ' '.repeat(1024 * 1024);
  for (let n = 0; n < 34; n += 1) appendFileSync(directory.objectList(), part);
  const read = async () => {
    for await (const { number } of readLines(directory.objectList())) expect(number).toBe(1);
  };
  await expect(read()).rejects.toThrow('line 2 is longer than 32 MiB');
});

it('names a wrong key', () => {
  make();
  expect(() => readManifest(directory, generateKey())).toThrow('another BACKUP_KEY');
  expect(() => parseKey('too short')).toThrow('base64 of 32 bytes');
  write(directory.manifest(), '{"manifest":{"sluice_backup":2}}');
  expect(() => readManifest(directory, key)).toThrow(DamagedBackup);
});
