import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { EXIT } from '#server/exit-codes.ts';
import { Service, sleep } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

// Tests what the server finishes before it exits, and its exit codes.

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

/** Starts a web page that is sent on demand, so that a job that fetches it runs for long. */
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

it('finishes a running request on SIGTERM and exits with 0', async () => {
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

it('aborts a request that exceeds SHUTDOWN_SECONDS', async () => {
  const service = await start({ ALLOW_PRIVATE_ADDRESSES: 'true', SHUTDOWN_SECONDS: '0.2' });
  const page = await slowPage();
  const upload = service.fetch('PUT', '/api/v1/files/upload_from_url', { url: page.url });
  const cut = expect(upload).rejects.toThrow();
  await page.asked;
  expect(await service.terminate()).toBe(EXIT.ok);
  await cut;
  page.send();
});

/** Resolves once a new request gets no answer, because the server is shutting down. */
async function untilUnanswered(base: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const isAnswered = await fetch(`${base}/health/live`, { signal: AbortSignal.timeout(1_000) }).then(
      () => true,
      () => false,
    );
    if (!isAnswered) return;
    await sleep(50);
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

it('exits with a specific code for an invalid setting', () => {
  expect(run({ PORT: 'eighty' })).toEqual({
    status: EXIT.badConfiguration,
    stderr: 'PORT is "eighty". It must be a number from 0 to 65535.\n',
  });
});

it('names an invalid service variable and exits with 78', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-settings-'));
  try {
    const { status, stderr } = run({
      STATE_DIR: join(folder, 'state'),
      SECRETS_FILE: join(folder, 'secrets.env'),
      PORT: '0',
      RATE_LIMIT_REQUESTS: 'abc',
    });
    expect(status).toBe(EXIT.badConfiguration);
    expect(stderr).toContain('RATE_LIMIT_REQUESTS: ');
    expect(stderr).not.toMatch(/^ +at /m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('exits with a specific code if the port is in use', async () => {
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

it('keeps secrets out of command lines', async () => {
  const secret = `sk-${crypto.randomUUID()}`;
  const variables = { LLM_API_KEY: secret, LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' };
  const service = await start(variables);
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
  expect(stdout).toContain('workerd serve');
  expect(stdout).not.toContain(secret);
  expect(stdout).not.toContain(service.key);
});
