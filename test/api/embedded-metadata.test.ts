import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';

const TEXT = 'Lavender flowers in July.';
const dense = { alpha: 1, enable_reranking: false };
const sparse = { alpha: 0, enable_reranking: false };

const similarity = async (id: string, query: string) => (await retrieve(id, query, dense))[0]!.score;
const isFoundByWord = async (id: string, query: string) => (await retrieve(id, query, sparse)).length > 0;

describe('the metadata of a document', () => {
  let id: string;

  /** Replaces the document and returns the counters of the sync. */
  async function put(metadata: object, excluded: string[] = []) {
    const document = { id: 'd', text: TEXT, metadata, excluded_embed_metadata_keys: excluded };
    const path = `/api/v1/pipelines/${id}/documents`;
    expect((await call('PUT', path, { body: [document] })).status).toBe(200);
    return counted();
  }

  async function counted() {
    const { status, progress } = await sync(id);
    expect(status).toBe('SUCCESS');
    const { indexed = 0, described = 0 } = progress!.counters;
    return { indexed, described };
  }

  const configure = async (excluded_embed_metadata_keys: string[]) => {
    const body = { metadata_config: { excluded_embed_metadata_keys } };
    expect((await call('PUT', `/api/v1/pipelines/${id}`, { body })).status).toBe(200);
    return counted();
  };

  const NEW_VECTORS = { indexed: 1, described: 0 };
  const DESCRIBED = { indexed: 0, described: 1 };

  beforeAll(async () => {
    id = await createPipeline();
    await put({});
  });

  it('is embedded and searched with the text, and does not change the text', async () => {
    const [plain] = await retrieve(id, 'lavender', dense);
    const before = await similarity(id, 'Oyelaran');
    expect(await isFoundByWord(id, 'Oyelaran')).toBe(false);
    expect(await put({ author: 'Matilda Oyelaran', year: 2024 })).toEqual(NEW_VECTORS);
    expect(await similarity(id, 'Oyelaran')).toBeGreaterThan(before + 0.1);
    expect(await isFoundByWord(id, 'Oyelaran')).toBe(true);
    const [described] = await retrieve(id, 'lavender', dense);
    expect(described!.node).toEqual({
      ...plain!.node,
      id_: described!.node.id_,
      extra_info: { ...plain!.node.extra_info, author: 'Matilda Oyelaran', year: 2024 },
    });
    expect(described!.node).toMatchObject({ text: TEXT, start_char_idx: 0, end_char_idx: TEXT.length });
  });

  it('causes new embeddings only if it changes', async () => {
    await put({ author: 'Matilda Oyelaran', year: 2024 });
    expect(await put({ year: 2024, author: 'Matilda Oyelaran' })).toEqual(DESCRIBED);
    expect(await counted()).toEqual({ indexed: 0, described: 0 });
    expect(await put({ author: 'Jens Brandt', year: 2024 })).toEqual(NEW_VECTORS);
    expect(await isFoundByWord(id, 'Oyelaran')).toBe(false);
    expect(await isFoundByWord(id, 'Brandt')).toBe(true);
  });

  it('excludes keys that the document excludes', async () => {
    await put({ author: 'Brandt', desk: 'K7', owner: { name: 'Novak' } });
    expect(await put({ author: 'Brandt', desk: 'K7', owner: { name: 'Novak' } }, ['owner'])).toEqual(
      NEW_VECTORS,
    );
    expect(await isFoundByWord(id, 'Novak')).toBe(false);
    expect(await isFoundByWord(id, 'Brandt')).toBe(true);
    expect(await put({ author: 'Brandt', desk: 'K7', owner: { name: 'Rossi' } }, ['owner'])).toEqual(
      DESCRIBED,
    );
    expect(await put({ author: 'Brandt', desk: 'K7' }, ['owner', 'absent'])).toEqual(DESCRIBED);
  });

  it('excludes keys that the pipeline excludes', async () => {
    await put({ author: 'Brandt', desk: 'K7' });
    expect(await configure(['desk'])).toEqual(NEW_VECTORS);
    expect(await isFoundByWord(id, 'K7')).toBe(false);
    expect(await put({ author: 'Brandt', desk: 'K8' })).toEqual(DESCRIBED);
    expect(await configure(['desk', 'absent'])).toEqual(DESCRIBED);
    expect(await configure([])).toEqual(NEW_VECTORS);
    expect(await isFoundByWord(id, 'K8')).toBe(true);
  });

  it('does not displace the text in the embedding', async () => {
    await put({});
    await put({ notes: 'unrelated matters of the harbour office '.repeat(20_000) });
    expect(await similarity(id, TEXT)).toBeGreaterThan(0.3);
  });
});

it('metadata of a file from any source is embedded and searched', async () => {
  const id = await createPipeline();
  const [fileId] = (await addFiles(id, { 'lavender.txt': TEXT })) as [string];
  await sync(id);
  const path = `/api/v1/pipelines/${id}/files/${fileId}`;
  const describeAs = async (custom_metadata: object) => {
    expect((await call('PUT', path, { body: { custom_metadata } })).status).toBe(200);
    return (await sync(id)).progress!.counters;
  };
  expect(await describeAs({ author: 'Oyelaran', file_id: 'Tanaka' })).toMatchObject({ indexed: 1 });
  expect(await isFoundByWord(id, 'Oyelaran')).toBe(true);
  expect(await isFoundByWord(id, 'Tanaka')).toBe(false);
  expect(await isFoundByWord(id, fileId)).toBe(false);
  const form = new FormData();
  form.set('upload_file', new File(['file_name,shelf\nlavender.txt,Mezzanine\n'], 'table.csv'));
  const table = new Request('https://any.example', { method: 'POST', body: form });
  const answer = await call('PUT', `/api/v1/pipelines/${id}/metadata`, {
    headers: { 'content-type': table.headers.get('content-type')! },
    raw: await table.arrayBuffer(),
  });
  expect(answer.status).toBe(200);
  expect((await sync(id)).progress!.counters).toMatchObject({ indexed: 1 });
  expect(await isFoundByWord(id, 'mezzanine')).toBe(true);
  expect((await retrieve(id, 'mezzanine', sparse))[0]!.node.text).toBe(TEXT);
});
