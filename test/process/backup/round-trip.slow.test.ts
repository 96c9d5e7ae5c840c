import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Directory } from '#scripts/backup/directory.ts';
import { parseKey } from '#scripts/backup/key.ts';
import { readManifest, writeManifest } from '#scripts/backup/manifest.ts';
import { Service } from '../service.ts';
import { answersAbout, fillHarbour, type Harbour } from './harbour.ts';
import { Between, nth } from './scripts.ts';

const source = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
let target = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
const fromSource = new Between(() => source);
const toTarget = new Between(() => target);
const place = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
const whole = join(place, 'whole');
const alone = join(place, 'alone');

let first: Harbour;
let other: Harbour;
let key = '';

beforeAll(async () => {
  await Promise.all([source.start(), target.start(), fromSource.start(), toTarget.start()]);
  first = await fillHarbour(source);
  const project = await source.call<{ id: string }>('POST', '/api/v1/projects', { name: 'Other' });
  other = await fillHarbour(source, project.id);
});
afterAll(async () => {
  fromSource.stop();
  toTarget.stop();
  await Promise.all([source.end(), target.end()]);
  rmSync(place, { recursive: true, force: true });
});

const files = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );

describe('backup of an installation', () => {
  it('continues after interruptions', async () => {
    const cut = await fromSource.run('backup', [whole], {}, nth(9, /POST .*\/backup\/rows/));
    expect(cut.code).toBeNull();
    key = /BACKUP_KEY=(\S+)/.exec(cut.said)![1]!;
    expect(files(whole)).not.toContain('manifest.json');

    const keyless = await fromSource.run('backup', [whole], {});
    expect(keyless.code).toBe(2);
    expect(keyless.said).toContain('Set BACKUP_KEY to the key that was printed at its start');
    expect(keyless.said).not.toContain('BACKUP_KEY=');
    const other = await fromSource.run('backup', [whole], { BACKUP_KEY: 'A'.repeat(43) });
    expect(other.code).toBe(2);
    expect(other.said).toContain('started with another BACKUP_KEY');

    const again = await fromSource.run('backup', [whole], { BACKUP_KEY: key }, nth(3, /\/backup\/object$/));
    expect(again.code).toBeNull();
    const rows = (asked: string[]) => asked.filter((each) => each.includes('/backup/rows')).length;
    expect(rows(cut.asked)).toBe(9);
    expect(rows(again.asked)).toBeGreaterThan(5);

    const last = await fromSource.run('backup', [whole], { BACKUP_KEY: key });
    expect(last.said).toMatch(/contains \d+ rows and \d+ objects/);
    expect(last.code).toBe(0);
    expect(rows(last.asked)).toBe(0);
    // The second run does not repeat what the first has read. Every table is small enough for one request, and the
    // request at which a run was killed is repeated.
    const tables = readManifest(new Directory(whole), parseKey(key))!.tables.length;
    expect(rows(cut.asked) + rows(again.asked)).toBe(tables + 1);
    expect(last.said).not.toContain(key);
  });

  it('contains no secret in its files', () => {
    const everything = files(whole).map((path) => readFileSync(join(whole, path), 'latin1'));
    expect(everything.join('\n')).toMatch(/sealed:v1:backup-/);
    for (const text of everything) {
      expect(text).not.toContain('a secret of a');
      expect(text).not.toContain(key);
      expect(text).not.toContain('sealed:v1:k1:');
    }
  });

  it('restores into another installation with the same answers', async () => {
    const env = { BACKUP_KEY: key };
    const cut = await toTarget.run('restore', [whole], env, nth(3, /\/object$/));
    expect(cut.code).toBeNull();
    const again = await toTarget.run('restore', [whole], env, nth(12, /\/rows$/));
    expect(again.code).toBeNull();
    expect(again.said).toContain('continuing the unfinished restore');
    const last = await toTarget.run('restore', [whole], env);
    expect(last.said).toContain('Restored from');
    expect(last.code).toBe(0);
    expect(last.asked.filter((each) => each.endsWith('/object'))).toEqual([]);

    for (const harbour of [first, other]) {
      expect(await answersAbout(target, harbour)).toEqual(await answersAbout(source, harbour));
    }
    // The events were sent before the backup.
    const deliveries = await target.call<{ items: { status: string }[] }>(
      'GET',
      '/api/v1/beta/webhook-deliveries',
    );
    expect(deliveries.items.length).toBeGreaterThan(0);
    expect(deliveries.items.filter(({ status }) => status === 'pending')).toEqual([]);
  });

  it('is not restored over existing data', async () => {
    const again = await toTarget.run('restore', [whole], { BACKUP_KEY: key });
    expect(again.code).toBe(2);
    expect(again.said).toMatch(/409 The installation is not empty: it has .*\d+ pipelines/);
  });

  it('is not restored with another key', async () => {
    const again = await toTarget.run('restore', [whole], { BACKUP_KEY: `${'A'.repeat(43)}=` });
    expect(again.code).toBe(2);
    expect(again.said).toContain('another BACKUP_KEY');
    expect(again.asked).toEqual([]);
  });

  it('is not restored by a release that does not know a column', async () => {
    const later = new Directory(join(place, 'later'));
    cpSync(whole, later.root, { recursive: true });
    const manifest = readManifest(later, parseKey(key))!;
    const tables = manifest.tables.map((table) => ({ ...table, columns: [...table.columns, 'extra'] }));
    writeManifest(later, { ...manifest, tables }, parseKey(key));
    const restored = await toTarget.run('restore', [later.root], { BACKUP_KEY: key });
    expect(restored.code).toBe(2);
    expect(restored.said).toContain('does not know the column organizations.extra');
  });
});

describe('backup of a project', () => {
  it('reports files deleted during the backup', async () => {
    const name = { name: `Fleeting ${crypto.randomUUID()}` };
    const { id } = await source.call<{ id: string }>('POST', '/api/v1/projects', name);
    const form = new FormData();
    form.append('upload_file', new File(['here today'], 'a.txt'));
    const file = await source.call<{ id: string }>('POST', `/api/v1/files?project_id=${id}`, form);
    const fleeting = join(place, 'fleeting');
    const deleting = async (asked: string) => {
      if (asked.endsWith('/backup/objects')) await source.call('DELETE', `/api/v1/files/${file.id}`);
      return false;
    };
    const taken = await fromSource.run('backup', [fleeting, '--project', id], { BACKUP_KEY: key }, deleting);
    expect(taken.code).toBe(1);
    expect(taken.said).toMatch(new RegExp(`changed while the backup was made:\\n {2}${file.id}`));
  });

  it('restores the project alone', async () => {
    const taken = await fromSource.run('backup', [alone, '--project', other.projectId], { BACKUP_KEY: key });
    expect(taken.said).toMatch(/contains \d+ rows/);
    expect(taken.code).toBe(0);
    expect(readFileSync(join(alone, 'objects.ndjson'), 'utf8')).not.toContain(first.projectId);

    await target.end();
    target = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
    await target.start();
    const restored = await toTarget.run('restore', [alone], { BACKUP_KEY: key });
    expect(restored.said).toContain('Restored from');
    expect(restored.code).toBe(0);
    expect(await answersAbout(target, other)).toEqual(await answersAbout(source, other));
    expect((await target.fetch('GET', `/api/v1/pipelines/${first.pipelineId}`)).status).toBe(404);

    const again = await toTarget.run('restore', [alone], { BACKUP_KEY: key });
    expect(again.code).toBe(2);
    expect(again.said).toContain(`409 Project ${other.projectId} is not empty`);
  });
});
