import { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { createClient } from './client.ts';

const openai = createClient();
const create = async (name: string, content: string, purpose: 'assistants' | 'vision' = 'assistants') =>
  openai.files.create({ file: await toFile(new TextEncoder().encode(content), name), purpose });

describe('files', () => {
  it('are uploaded, read, downloaded and deleted', async () => {
    const file = await create('tide.txt', 'The tide is high.');
    expect(file).toMatchObject({
      object: 'file',
      bytes: 17,
      filename: 'tide.txt',
      purpose: 'assistants',
      status: 'processed',
    });
    expect(Math.abs(file.created_at - Date.now() / 1000)).toBeLessThan(600);
    expect(await openai.files.retrieve(file.id)).toEqual(file);
    const content = await openai.files.content(file.id);
    expect(await content.text()).toBe('The tide is high.');
    expect(await openai.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(openai.files.retrieve(file.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(openai.files.content(file.id)).rejects.toMatchObject({ status: 404 });
  });

  it('are listed in both orders and by purpose, over several pages', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await create(`${name}.txt`, name, 'vision')).id);
    const found: string[] = [];
    for await (const file of openai.files.list({ limit: 2, purpose: 'vision' })) found.push(file.id);
    expect(found).toEqual(ids.toReversed());
    const first = await openai.files.list({ limit: 1, order: 'asc', after: ids[0]! });
    expect(first.data.map(({ id }) => id)).toEqual([ids[1]]);
    expect(first.has_more).toBe(true);
    await expect(openai.files.list({ after: crypto.randomUUID() })).rejects.toMatchObject({
      status: 400,
      param: 'query.after',
    });
  });

  it('are refused with a reason if they should expire or be run as a batch', async () => {
    const file = await toFile(new TextEncoder().encode('{}'), 'lines.jsonl');
    const expiring = openai.files.create({
      file,
      purpose: 'assistants',
      expires_after: { anchor: 'created_at', seconds: 3600 },
    });
    await expect(expiring).rejects.toMatchObject({
      status: 400,
      param: 'expires_after',
      message: expect.stringContaining('set the retention'),
    });
    await expect(openai.files.create({ file, purpose: 'batch' })).rejects.toMatchObject({
      status: 400,
      param: 'purpose',
    });
  });
});
