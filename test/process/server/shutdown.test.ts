import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { EXIT } from '#server/exit-codes.ts';
import { Service } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

// How the server ends: what it finishes first, and what its exit code says.

const services: Service[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.end()));
  for (const server of servers.splice(0)) server.close();
});

async function start(variables: Record<string, string> = {}): Promise<Service> {
  const service = new Service(variables);
  services.push(service);
  await service.start();
  return service;
}

/** A web page that is sent only when the test says so; a job that fetches it is a request that takes long. */
async function slowPage(): Promise<{ url: string; asked: Promise<void>; send: () => void }> {
  const asked = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  const server = createServer(async (_request, response) => {
    asked.resolve();
    await sent.promise;
    response.writeHead(200, { 'content-type': 'text/plain' }).end('The lighthouse stands on the cape.');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/page.txt`, asked: asked.promise, send: sent.resolve };
}

it('finishes a request that runs when it is asked to end, takes no new one, and exits with 0', async () => {
  const service = await start({ ALLOW_PRIVATE_ADDRESSES: 'true', SHUTDOWN_SECONDS: '60' });
  const page = await slowPage();
  const upload = service.fetch('PUT', '/api/v1/files/upload_from_url', { url: page.url });
  await page.asked;
  const ended = service.terminate();
  await untilUnanswered(service.base);
  page.send();
  expect((await upload).status).toBe(200);
  expect(await ended).toBe(EXIT.ok);
});

it('cuts a request that takes longer than the shutdown may', async () => {
  const service = await start({ ALLOW_PRIVATE_ADDRESSES: 'true', SHUTDOWN_SECONDS: '0.2' });
  const page = await slowPage();
  const upload = service.fetch('PUT', '/api/v1/files/upload_from_url', { url: page.url });
  const cut = expect(upload).rejects.toThrow();
  await page.asked;
  expect(await service.terminate()).toBe(EXIT.ok);
  await cut;
  page.send();
});

/** Resolves once a new request gets no answer: the server takes none while it ends. */
async function untilUnanswered(base: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 1_000) {
    const isAnswered = await fetch(`${base}/health/live`, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (!isAnswered) return;
  }
  throw new Error('the server still takes requests');
}

function run(environment: Record<string, string>) {
  const { status, stderr } = spawnSync(process.execPath, ['server/start.ts'], {
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  return { status, stderr };
}

it('says by its exit code that a setting is wrong', () => {
  expect(run({ PORT: 'eighty' })).toEqual({
    status: EXIT.badConfiguration,
    stderr: 'PORT is "eighty". It must be a number from 0 to 65535.\n',
  });
});

it('says by its exit code that the port is in use', async () => {
  const taken = createTcpServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    const { status, stderr } = run({ PORT: String(port) });
    expect(status).toBe(EXIT.unavailable);
    expect(stderr).toContain(`port ${port}: it is in use`);
  } finally {
    taken.close();
  }
});

it('keeps secrets off every command line', async () => {
  const secret = `sk-${crypto.randomUUID()}`;
  const variables = { LLM_API_KEY: secret, LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' };
  const service = await start(variables);
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
  expect(stdout).toContain('workerd serve');
  expect(stdout).not.toContain(secret);
  expect(stdout).not.toContain(service.key);
});
