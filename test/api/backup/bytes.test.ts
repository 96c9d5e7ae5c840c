import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { ADMIN, begunRestore, finishRestore, type Refusal } from '#test/support/backups.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let owner: Tenant;
let stranger: Tenant;
beforeAll(async () => {
  owner = await createTenant();
  stranger = await createTenant();
});

describe('objects of a backup', () => {
  const put = (order: { id: string }, key: string, bytes: string, hash: string, more = '') =>
    call<Refusal>(
      'PUT',
      `${ADMIN}/restores/${order.id}/object?key=${encodeURIComponent(key)}&sha256=${hash}${more}`,
      {
        raw: new TextEncoder().encode(bytes),
        headers: { 'content-type': 'application/octet-stream' },
      },
    );

  it('are restored with their metadata', async () => {
    const at = `projects/${owner.projectId}/files/a/b`;
    const options = {
      httpMetadata: { contentType: 'image/png' },
      customMetadata: { width: '12', note: 'Größe' },
    };
    await env.FILES.put(at, 'bytes', options);
    const listed = await call<{ objects: { key: string; metadata: string }[] }>(
      'GET',
      `${ADMIN}/backup/objects?project=${owner.projectId}`,
    );
    const { metadata } = listed.body.objects.find(({ key }) => key === at)!;
    const order = await begunRestore();
    const key = `projects/${order.project}/files/a/b`;
    expect((await put(order, key, 'bytes', await sha256('bytes'), `&metadata=${metadata}`)).status).toBe(200);
    const object = await env.FILES.head(key);
    expect(object?.httpMetadata).toMatchObject(options.httpMetadata);
    expect(object?.customMetadata).toEqual(options.customMetadata);
  });

  it('are assembled from their pieces', async () => {
    const order = await begunRestore();
    const key = `projects/${order.project}/files/a/b`;
    const hash = await sha256('one two three');
    const pieces = ['one ', 'two ', 'three'];
    expect((await put(order, key, 'three', hash, '&piece=3&pieces=3')).status).toBe(409);
    for (const [at, piece] of pieces.entries()) {
      expect((await put(order, key, piece, hash, `&piece=${at + 1}&pieces=3`)).status).toBe(200);
    }
    expect(await (await env.FILES.get(key))?.text()).toBe('one two three');
    // The answer to the last piece was lost, so the piece is sent again. Another object with equal pieces is
    // restored as well.
    const twin = `projects/${order.project}/files/c/d`;
    for (const place of [key, twin]) {
      expect((await put(order, place, 'three', hash, '&piece=3&pieces=3')).status).toBe(200);
      expect(await (await env.FILES.get(place))?.text()).toBe('one two three');
    }
    await finishRestore(order.id);
    expect((await env.FILES.list({ prefix: `restores/${order.id}/` })).objects).toEqual([]);
  });

  it('are rejected and not stored if their hash differs', async () => {
    const order = await begunRestore();
    const key = `projects/${order.project}/files/a/b`;
    const answer = await put(order, key, 'changed', await sha256('bytes'));
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('another hash');
    expect(await env.FILES.head(key)).toBeNull();
  });

  it('are rejected outside their project', async () => {
    const order = await begunRestore();
    const hash = await sha256('x');
    const own = `projects/${order.project}`;
    for (const key of [
      `projects/${stranger.projectId}/files/a/b`,
      `${own}/../${stranger.projectId}/files/a`,
      `${own}/./a`,
      `${own}//a`,
      `${own}/`,
      `${own}/a\u0000b`,
      `${own}/${'a'.repeat(1024)}`,
      'restores/order.json',
      '../a',
      '',
    ]) {
      expect((await put(order, key, 'x', hash)).status, key).toBe(422);
    }
    const read = await call(
      'GET',
      `${ADMIN}/backup/object?key=${encodeURIComponent(`restores/${order.id}/order.json`)}`,
    );
    expect(read.status).toBe(422);
  });
});
