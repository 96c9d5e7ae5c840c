import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { FileMember, TextMember } from '#src/db/pipeline-members.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline } from '#test/support/pipelines.ts';

describe('a text with the id of a file in the same pipeline', () => {
  it('is listed, described and removed separately from the file', async () => {
    const id = await createPipeline();
    const [fileId] = await addFiles(id, { 'gull.txt': 'The gull eats herring.' });
    const path = `/api/v1/pipelines/${id}`;
    const body = [{ id: fileId, text: 'The puffin eats eels.', metadata: { bird: 'puffin' } }];
    expect((await call('PUT', `${path}/documents`, { body })).status).toBe(200);
    const files = async () => (await call<{ file_id: string }[]>('GET', `${path}/files`)).body;
    const texts = async () =>
      (await call<{ id: string }[]>('GET', `${path}/documents?only_direct_upload=true`)).body;
    expect(await files()).toMatchObject([{ file_id: fileId, custom_metadata: null }]);
    expect(await texts()).toMatchObject([{ id: fileId, metadata: { bird: 'puffin' } }]);
    const custom_metadata = { bird: 'gull' };
    expect(
      (await call('PUT', `${path}/files`, { body: [{ file_id: fileId, custom_metadata }] })).status,
    ).toBe(200);
    expect(await files()).toMatchObject([{ custom_metadata }]);
    expect(await texts()).toMatchObject([{ metadata: { bird: 'puffin' } }]);
    expect((await call('DELETE', `${path}/files/${fileId}`)).status).toBe(204);
    expect(await files()).toEqual([]);
    expect(await texts()).toMatchObject([{ id: fileId }]);
  });
});

describe('member rows', () => {
  const insert = async (columns: string, values: string) => {
    const id = await createPipeline();
    const statement = `insert into pipeline_members (id, pipeline_id, ${columns}) values (?, ?, ${values})`;
    return env.DB.prepare(statement).bind(crypto.randomUUID(), id).run();
  };
  const TEXT = 'content_hash, text_id, metadata, excluded_embed_metadata_keys, excluded_llm_metadata_keys';

  it('must have the columns of their kind', async () => {
    await insert(`kind, document_id, ${TEXT}`, `'text', 'a', 'x', 'x', '{}', '[]', '[]'`);
    for (const [columns, values] of [
      ['kind, document_id', `'text', 'a'`],
      ['kind, document_id', `'file', 'a'`],
      [`kind, document_id, ${TEXT}`, `'file', 'a', 'x', 'x', '{}', '[]', '[]'`],
      [`kind, document_id, ${TEXT}`, `'other', 'a', 'x', 'x', '{}', '[]', '[]'`],
      ['kind, document_id, file_id', `'file', 'a', 'b'`],
    ] as const) {
      await expect(insert(columns, values), values).rejects.toThrow('CHECK constraint failed');
    }
  });

  it('are typed by kind, without the columns of the other kind', () => {
    const [file, text] = [{} as FileMember, {} as TextMember];
    // @ts-expect-error A file's content is with the file.
    expect(file.textId).toBeUndefined();
    // @ts-expect-error A text is in no file.
    expect(text.fileId).toBeUndefined();
  });
});
