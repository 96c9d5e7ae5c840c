import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { receiveMultipart } from '#src/bucket/multipart.ts';

const MEBIBYTE = 1024 * 1024;

/** Returns the real bucket and a list of how its multipart uploads ended. */
function watchedBucket(): { bucket: R2Bucket; ended: string[] } {
  const ended: string[] = [];
  const bucket = new Proxy(env.FILES, {
    get(target, name) {
      if (name !== 'createMultipartUpload') {
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      }
      return async (key: string) => {
        const upload = await target.createMultipartUpload(key);
        return {
          uploadPart: upload.uploadPart.bind(upload),
          async abort() {
            ended.push('aborted');
            await upload.abort();
          },
          async complete(parts: R2UploadedPart[]) {
            ended.push('completed');
            return upload.complete(parts);
          },
        };
      };
    },
  });
  return { bucket, ended };
}

function createForm(mebibytes: number, tail = '\r\n--b--\r\n'): Request {
  const head =
    '--b\r\nContent-Disposition: form-data; name="upload_file"; filename="large.bin"\r\n' +
    'Content-Type: application/x-large\r\n\r\n';
  const block = new Uint8Array(MEBIBYTE).fill(7);
  let sent = -1;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      if (sent === 0) return controller.enqueue(new TextEncoder().encode(head));
      if (sent <= mebibytes) return controller.enqueue(block.slice());
      controller.enqueue(new TextEncoder().encode(tail));
      controller.close();
    },
  });
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return new Request('http://service/', { method: 'POST', headers, body });
}

describe('a form larger than one upload part', () => {
  const options = { fileParts: ['upload_file'], key: 'test/large', limit: 12 * MEBIBYTE };

  it('is completed if it is whole', async () => {
    const { bucket, ended } = watchedBucket();
    const { file } = await receiveMultipart(bucket, createForm(10), options);
    expect(file).toMatchObject({
      size: 10 * MEBIBYTE,
      name: 'large.bin',
      contentType: 'application/x-large',
    });
    expect(ended).toEqual(['completed']);
    expect((await env.FILES.head('test/large'))?.size).toBe(10 * MEBIBYTE);
    await env.FILES.delete('test/large');
  });

  it.each([
    ['breaks off', createForm(10, ''), /malformed/],
    [
      'has a second file',
      createForm(
        10,
        '\r\n--b\r\nContent-Disposition: form-data; name="upload_file"; filename="b"\r\n\r\nx\r\n--b--\r\n',
      ),
      /more than one file/,
    ],
    ['is too large', createForm(14), /exceeds 12MB/],
  ])('aborts the multipart upload if it %s', async (_, request, message) => {
    const { bucket, ended } = watchedBucket();
    await expect(receiveMultipart(bucket, request, options)).rejects.toThrow(message);
    expect(ended).toEqual(['aborted']);
    expect(await env.FILES.head('test/large')).toBeNull();
  });
});
