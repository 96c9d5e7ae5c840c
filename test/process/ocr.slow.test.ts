import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPdf, paragraph } from '#test/fixtures/pdf.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Service, type ServiceClient, sleep } from './service.ts';
import { SharedService } from './shared-client.ts';

/** Uploads a page with a picture of the sentence, indexes it and returns the retrieved text. */
async function readBack(service: ServiceClient, sentence: string, question: string): Promise<string> {
  const typed = buildPdf({ pages: [{ content: paragraph(72, 720, [sentence], 14) }] });
  const source = await service.upload('typed.pdf', new Uint8Array(typed));
  const picture = await service.bytes(`/api/v1/files/${source}/page_screenshots/0`);
  const scan = await service.upload('scan.png', picture);
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/pipelines', {
    name: `scans ${crypto.randomUUID()}`,
  });
  const path = `/api/v1/pipelines/${id}`;
  await service.call('PUT', `${path}/files`, [{ file_id: scan }]);
  await service.call('POST', `${path}/sync`);
  let status = '';
  for (let waited = 0; !/SUCCESS|ERROR/.test(status) && waited < PATIENCE_MS; waited += 100) {
    await sleep(100);
    ({ status } = await service.call<{ status: string }>('GET', `${path}/status`));
  }
  expect(status).toBe('SUCCESS');
  const { retrieval_nodes: hits } = await service.call<{ retrieval_nodes: { node: { text: string } }[] }>(
    'POST',
    `${path}/retrieve`,
    { query: question },
  );
  return hits.map(({ node }) => node.text).join('\n');
}

describe('default service', () => {
  const service = new SharedService();
  beforeAll(() => service.start());
  afterAll(() => service.end());

  it('reads text in pictures with its built-in OCR engine', async () => {
    const sentence = 'The lighthouse keeper is Matilda Oyelaran.';
    expect(await readBack(service, sentence, 'Who keeps the lighthouse?')).toContain(sentence);
  });
});

describe('service with a vision model', () => {
  const asked: { authorization: string | undefined; body: string }[] = [];
  let model: Server;
  let service: Service;

  beforeAll(async () => {
    model = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      asked.push({
        authorization: request.headers.authorization,
        body: Buffer.concat(parts).toString(),
      });
      const message = { role: 'assistant', content: '# Log\n\nSpoken by the model: zymurgy.' };
      response.setHeader('content-type', 'application/json');
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      response.end(JSON.stringify({ id: 'a', object: 'chat.completion', created: 0, model: 'eye', choices }));
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const { port } = model.address() as AddressInfo;
    service = new Service({
      OCR_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OCR_MODEL: 'eye',
      OCR_API_KEY: 'key-of-the-model',
    });
    await service.start();
  });
  afterAll(async () => {
    await service.end();
    model.close();
  });

  it('uses the vision model instead', async () => {
    asked.length = 0;
    const found = await readBack(service, 'Something else is drawn here.', 'zymurgy');
    expect(found).toContain('Spoken by the model: zymurgy.');
    expect(asked).toHaveLength(1);
    expect(asked[0]?.authorization).toBe('Bearer key-of-the-model');
    expect(JSON.parse(asked[0]!.body)).toMatchObject({ model: 'eye' });
    expect(asked[0]!.body).toContain('data:image/png;base64,iVBORw0KGgo');
  });
});
