import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, statusOf, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

it('retries a file that had failed permanently, and no other file', async () => {
  const id = await createPipeline();
  const [fileId, other] = await addFiles(id, { 'a.txt': 'The words of one.', 'b.txt': 'The words of two.' });
  await sync(id);
  // Simulates an earlier permanent failure whose cause no longer exists.
  const member = env.DB.prepare(
    "select failed_fingerprint from pipeline_members where file_id = ? and status = 'ERROR'",
  ).bind(fileId);
  await env.DB.prepare(
    `update pipeline_members set status = 'ERROR', failed_fingerprint =
       (select content_fingerprint from indexed_documents where document_id = file_id) where file_id = ?`,
  )
    .bind(fileId)
    .run();
  await env.DB.prepare("update indexed_documents set content_fingerprint = '' where document_id in (?, ?)")
    .bind(fileId, other)
    .run();
  expect(await member.first('failed_fingerprint')).toBeTruthy();
  const before = (await statusOf(id)).job_id;
  const path = `/api/v1/pipelines/${id}/files/${fileId}/retry`;
  expect((await call('POST', path, { key: null })).status).toBe(401);
  expect((await call('POST', path, { key: (await createTenant()).key })).status).toBe(404);
  expect((await call('POST', `/api/v1/pipelines/${id}/files/${crypto.randomUUID()}/retry`)).status).toBe(404);
  expect((await call('POST', `/api/v1/pipelines/${id}/files/x/retry`)).status).toBe(404);
  const answer = await call<{ file_id: string }>('POST', path);
  expect(answer).toMatchObject({ status: 200, body: { file_id: fileId } });
  const status = await untilFinished(id, before);
  expect(status).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
  expect(status.progress?.counters.indexed).toBe(1);
});
