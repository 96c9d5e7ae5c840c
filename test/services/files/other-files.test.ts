import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { type Context, createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { dataSources, type FileRow, parses } from '#src/db/schema/index.ts';
import { receiveContent } from '#src/services/files/content.ts';
import { clearLeftovers } from '#src/services/files/leftovers.ts';
import { getFilePage } from '#src/services/files/listing.ts';
import {
  adoptPipelineUploads,
  adoptPresignedUpload,
  adoptProjectUploads,
} from '#src/services/files/pending-uploads.ts';
import { call, upload } from '#test/support/client.ts';
import { keysUnder, multipart } from '#test/support/files.ts';
import {
  insertFile,
  insertMember,
  insertPipeline,
  insertProject,
  valuesOf,
} from '#test/support/inserted-rows.ts';
import { INVOICE, INVOICE_SCHEMA } from '#test/support/jobs.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// A statement about one file affects no file of another project, another content or another pipeline.

const db = openDatabase(env.DB);
const ctx = createContext(env, { waitUntil() {} });
let tenant: Tenant;
let projectId: string;
/** Another project of the same organization. */
let sibling: string;

beforeEach(async () => {
  tenant = await createTenant();
  projectId = tenant.projectId;
  sibling = await insertProject(tenant.organizationId);
});

const readFile = async (id: string): Promise<FileRow> =>
  (await ctx.db.query.files.findFirst({ where: (each, { eq }) => eq(each.id, id) }))!;

/** Stores the parse of a content, with its row and an object. */
async function storeParse(owner: string, contentHash: string): Promise<void> {
  const row = { id: crypto.randomUUID(), projectId: owner, contentHash, configHash: 'c' };
  await db.insert(parses).values({ ...row, kind: 'text', pageCount: 1, metadata: {} });
  await env.FILES.put(`${keys.parsedFile(owner, contentHash)}pages/c/summary.json`, '{}');
}

/** Returns the contents whose parses a project has, by their rows and by their objects. */
async function listParses(owner: string) {
  const rows = await valuesOf('parses', 'content_hash', `project_id = '${owner}'`);
  const objects = (await keysUnder(keys.parses(owner))).map((key) => key.split('/')[3]);
  return { rows: rows.toSorted(), objects };
}

describe('deleting a file', () => {
  const put = (content: string, owner = projectId) =>
    upload('a.txt', content, { key: tenant.key, query: `?project_id=${owner}` });
  const remove = async (id: string) =>
    expect((await call('DELETE', `/api/v1/files/${id}`, { key: tenant.key })).status).toBe(204);
  const hashOf = async (id: string) => (await readFile(id)).contentHash!;

  it('deletes the parse of its content with the last file of the content', async () => {
    const [first, second] = [await put('Equal.'), await put('Equal.')];
    const content = await hashOf(first);
    await storeParse(projectId, content);
    await remove(first);
    expect(await listParses(projectId)).toEqual({ rows: [content], objects: [content] });
    await remove(second);
    expect(await listParses(projectId)).toEqual({ rows: [], objects: [] });
  });

  it('deletes the parse even if a file of another project has the content, and not its parse', async () => {
    const [gone, other] = [await put('Equal.'), await put('Equal.', sibling)];
    const content = await hashOf(other);
    for (const owner of [projectId, sibling]) await storeParse(owner, content);
    await remove(gone);
    expect(await listParses(projectId)).toEqual({ rows: [], objects: [] });
    expect(await listParses(sibling)).toEqual({ rows: [content], objects: [content] });
  });

  it('keeps the bytes and parses of other contents', async () => {
    const [gone, kept] = [await put('One.'), await put('Another.')];
    const [content, other] = [await hashOf(gone), await hashOf(kept)];
    for (const each of [content, other]) await storeParse(projectId, each);
    await remove(gone);
    expect(await listParses(projectId)).toEqual({ rows: [other], objects: [other] });
    expect(await keysUnder(`${keys.project(projectId)}files/`)).toEqual([(await readFile(kept)).storageKey]);
  });
});

describe('clearing what a deleted file has left', () => {
  const [content, another] = ['a'.repeat(64), 'b'.repeat(64)];
  const clear = () => clearLeftovers(ctx, projectId, keys.parsedFile(projectId, content));

  it('deletes the parse of its content in its project alone', async () => {
    await storeParse(projectId, content);
    await storeParse(projectId, another);
    await storeParse(sibling, content);
    await insertFile(sibling, { contentHash: content });
    expect(await clear()).toBe(false);
    expect(await listParses(projectId)).toEqual({ rows: [another], objects: [another] });
    expect(await listParses(sibling)).toEqual({ rows: [content], objects: [content] });
  });

  it('keeps the parse if a file of the project has the content again', async () => {
    await storeParse(projectId, content);
    await insertFile(projectId, { contentHash: content });
    await clear();
    expect(await listParses(projectId)).toEqual({ rows: [content], objects: [content] });
  });

  it('fails for a place of another project', async () => {
    await storeParse(sibling, content);
    const clearing = clearLeftovers(ctx, projectId, keys.parsedFile(sibling, content));
    await expect(clearing).rejects.toThrow('does not belong');
    expect(await listParses(sibling)).toEqual({ rows: [content], objects: [content] });
  });

  it('deletes everything of a project that is gone, and nothing of another', async () => {
    const gone = crypto.randomUUID();
    for (const owner of [gone, sibling]) await env.FILES.put(keys.jobResult(owner, 'job'), '{}');
    expect(await clearLeftovers(ctx, gone, keys.parsedFile(gone, content))).toBe(true);
    expect(await keysUnder(keys.project(gone))).toEqual([]);
    expect(await keysUnder(keys.project(sibling))).toEqual([keys.jobResult(sibling, 'job')]);
  });
});

describe('an upload to the bucket that is pending', () => {
  const until = (offset: number) => new Date(Date.now() + offset);

  /** Inserts a file with a pending upload whose bytes have arrived. */
  async function insertArrived(owner: string): Promise<string> {
    const pendingKey = `${keys.uploads(owner, crypto.randomUUID())}pending`;
    await env.FILES.put(pendingKey, 'It has arrived.');
    return insertFile(owner, { pendingKey, pendingUntil: until(60_000) });
  }
  const isAdopted = async (id: string) => {
    const { storageKey, pendingKey } = await readFile(id);
    return storageKey !== null && (await env.FILES.head(pendingKey!)) === null;
  };

  it('is taken over for the requested project alone', async () => {
    const [own, other] = [await insertArrived(projectId), await insertArrived(sibling)];
    const arrived = await adoptProjectUploads(await scopeOf(tenant));
    expect(arrived.map(({ id }) => id)).toEqual([own]);
    expect([await isAdopted(own), await isAdopted(other)]).toEqual([true, false]);
  });

  it('is taken over for the files of the synced pipeline alone', async () => {
    const [own, other] = [await insertArrived(projectId), await insertArrived(projectId)];
    const [pipeline, second] = [await insertPipeline(projectId), await insertPipeline(projectId)];
    await insertMember(pipeline, own);
    await insertMember(second, other);
    const pipelineSync = () => ({ start: async () => undefined });
    const within = { ...ctx, objects: { ...ctx.objects, pipelineSync } } as unknown as Context;
    await adoptPipelineUploads(within, pipeline);
    expect([await isAdopted(own), await isAdopted(other)]).toEqual([true, false]);
  });

  it.each([
    ['is forgotten', -1000, null],
    ['stays', 60_000, 'pending'],
  ])('%s if its URL expires in %i ms and no bytes have arrived', async (_, offset, expected) => {
    const updatedAt = until(-500_000);
    const pending = { pendingKey: 'pending', pendingUntil: until(offset), pendingName: 'new.txt' };
    const id = await insertFile(projectId, { ...pending, updatedAt });
    await adoptPresignedUpload(ctx, await readFile(id));
    expect(await readFile(id)).toMatchObject({
      pendingKey: expected,
      pendingName: expected && 'new.txt',
      updatedAt,
    });
  });

  it('is not forgotten if another one was announced meanwhile', async () => {
    const id = await insertFile(projectId, { pendingKey: 'first', pendingUntil: until(-1000) });
    const read = await readFile(id);
    await env.DB.prepare("update files set pending_key = 'second', pending_until = ? where id = ?")
      .bind(until(60_000).getTime(), id)
      .run();
    await adoptPresignedUpload(ctx, read);
    expect((await readFile(id)).pendingKey).toBe('second');
  });
});

describe('new content of a file', () => {
  it.each([
    ['with other bytes', 'new', 'a.txt', true],
    ['with another name', 'old', 'b.txt', true],
    ['with the same bytes and name', 'old', 'a.txt', false],
  ])('%s starts the pipelines that contain it, if it differs', async (_, contentHash, name, isNew) => {
    const id = await insertFile(projectId, {
      name: 'a.txt',
      contentHash: 'old',
      fileSize: 1,
      storageKey: 'k',
    });
    const another = await insertFile(projectId, { name: 'a.txt', contentHash: 'old' });
    const [holder, deleted] = [
      await insertPipeline(projectId),
      await insertPipeline(projectId, { status: 'DELETING' }),
    ];
    for (const pipeline of [holder, deleted]) await insertMember(pipeline, id);
    await insertMember(await insertPipeline(projectId), another);
    const started: string[] = [];
    const pipelineSync = (pipelineId: string) => ({ start: async () => void started.push(pipelineId) });
    const within = { ...ctx, objects: { ...ctx.objects, pipelineSync } } as unknown as Context;
    const key = `${keys.uploads(projectId, id)}next`;
    await receiveContent(within, await readFile(id), key, { size: 1, contentHash }, () => ({ name }));
    expect(started).toEqual(isNew ? [holder] : []);
    expect(await readFile(id)).toMatchObject({ storageKey: key, contentHash, name });
    expect((await readFile(another)).storageKey).toBeNull();
  });
});

describe('an external id', () => {
  const put = (content: string, owner: string) =>
    upload('a.txt', content, { key: tenant.key, query: `?external_file_id=one&project_id=${owner}` });

  it('names a file of its project alone', async () => {
    const [own, other] = [await put('Mine.', projectId), await put('Theirs.', sibling)];
    expect(own).not.toBe(other);
    expect(await put('Mine, again.', projectId)).toBe(own);
    expect((await readFile(other)).fileSize).toBe('Theirs.'.length);
  });

  it('names an upload and no file of a data source', async () => {
    const dataSourceId = crypto.randomUUID();
    const source = { id: dataSourceId, projectId, name: 's', sourceType: 'SOURCE_9_BUCKET', component: {} };
    await db.insert(dataSources).values(source);
    const fetched = await insertFile(projectId, {
      externalFileId: 'one',
      dataSourceId,
      origin: dataSourceId,
    });
    const uploaded = await put('Mine.', projectId);
    expect(uploaded).not.toBe(fetched);
    expect((await readFile(fetched)).storageKey).toBeNull();
    const page = await getFilePage(await scopeOf(tenant), { filter: { only_manually_uploaded: true } });
    expect(page.items.map(({ id }) => id)).toEqual([uploaded]);
  });

  it('selects the files of a list', async () => {
    const id = await insertFile(projectId, { externalFileId: 'one' });
    await insertFile(projectId, { externalFileId: 'two' });
    await insertFile(projectId);
    await insertFile(sibling, { externalFileId: 'one' });
    const page = await getFilePage(await scopeOf(tenant), { filter: { external_file_id: 'one' } });
    expect(page).toMatchObject({ items: [{ id }], total_size: 1 });
  });
});

it('a file that an upload stores in another project leaves no bytes in the project of the key', async () => {
  const { key } = tenant;
  const agent = await call<{ id: string }>(
    'POST',
    `/compat/api/v1/extraction/extraction-agents?project_id=${sibling}`,
    { key, body: { name: 'agent', data_schema: INVOICE_SCHEMA, config: {} } },
  );
  const form = { extraction_agent_id: agent.body.id, file: new File([INVOICE], 'invoice.md') };
  const answer = await multipart('/compat/api/v1/extraction/jobs/file', form, key);
  expect(answer.status).toBe(200);
  expect(await keysUnder(`${keys.project(projectId)}files/`)).toEqual([]);
  expect(await keysUnder(`${keys.project(sibling)}files/`)).toHaveLength(1);
});
