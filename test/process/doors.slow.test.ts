import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '#server/exit-codes.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { listPorts, listRuntimes } from './runtimes.ts';
import { freePort, Service, sleep } from './service.ts';

const service = new Service();
beforeAll(() => service.start());
afterAll(() => service.end());

/** Development paths of Miniflare. */
const DEVELOPMENT_PATHS = [
  '/cdn-cgi/explorer/api/',
  '/cdn-cgi/local/explorer',
  '/cdn-cgi/local/explorer/api/local/workers',
  '/cdn-cgi/local/explorer/api/d1/database',
  '/cdn-cgi/local/platform-proxy',
  '/cdn-cgi/local/scheduled',
  '/cdn-cgi/handler/scheduled',
  '/cdn-cgi/mf/scheduled',
  '/cdn-cgi/local/email?from=a@b.example&to=c@d.example',
  '/cdn-cgi/handler/email?from=a@b.example&to=c@d.example',
  '/cdn-cgi/local/r2/public/sluice-files/x',
  '/cdn-cgi/local/r2/s3/sluice-files/x',
  '/cdn-cgi/ProxyWorker/pause',
  '/core/bindings',
  '/core/dev-registry',
  '/__scheduled',
];

describe('public port', () => {
  it.each(DEVELOPMENT_PATHS)('answers %s with 404', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(service.base + path, { method });
      expect(answer.status, method).toBe(404);
      expect(await answer.json(), method).toMatchObject({ code: 'not_found' });
    }
  });

  it('ignores control headers of Miniflare', async () => {
    const { port } = new URL(service.base);
    const headers: Record<string, string> = {
      'MF-Route-Override': 'sluice-parser-pool',
      'MF-Op': 'GET',
      'MF-Op-Target': 'env',
      'MF-Op-Key': 'DB',
      'MF-Op-Secret': '00',
      'MF-Original-URL': `http://127.0.0.1:${port}/api/v1/files`,
    };
    const answer = await fetch(`${service.base}/health`, { headers });
    expect(await answer.json()).toMatchObject({ status: 'ok' });
  });

  it.each(['sluice-rpc', 'miniflare-unsafe-internal-capnp-connect'])(
    'opens no RPC session to %s',
    async (host) => {
      expect(await statusOfConnect(new URL(service.base), host)).not.toBe(200);
    },
  );
});

describe('every other port', () => {
  it('listens on localhost only and requires a secret', async () => {
    const listening = listPorts(service).filter(({ port }) => String(port) !== new URL(service.base).port);
    expect(listening.length).toBeGreaterThan(0);
    for (const { address, port } of listening) {
      expect(address, String(port)).toBe('127.0.0.1');
      for (const path of DEVELOPMENT_PATHS) {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`);
        expect([400, 401, 403, 404], `${port}${path}`).toContain(answer.status);
        expect(await answer.text(), `${port}${path}`).not.toContain('sluice-files');
      }
      expect(await statusOfConnect(new URL(`http://127.0.0.1:${port}`), 'sluice-rpc')).not.toBe(200);
    }
  });

  it('is not an inspector', () => {
    const commands = listRuntimes(service).map(({ command }) => command);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) expect(command).not.toMatch(/inspector|debug-port/);
  });

  it('sockets are in a folder that only its user can open', () => {
    expect(statSync(join(service.state, 'sockets')).mode & 0o777).toBe(0o700);
  });
});

/** Returns the status of a CONNECT request, or 0 if the connection closes without one. */
function statusOfConnect({ hostname, port }: URL, host: string): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest({ host: hostname, port, method: 'CONNECT', path: host });
    request.once('connect', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    request.once('response', ({ statusCode = 0 }) => resolve(statusCode));
    request.once('error', () => resolve(0));
    request.end();
  });
}

it('signed URLs use the service address regardless of the Host header', async () => {
  const { url } = await service.call<{ url: string }>('PUT', '/api/v1/files', { name: 'a.txt' });
  expect(new URL(url).origin).toBe(service.base);
  const named = spawnSync(
    process.execPath,
    ['-e', REQUEST_WITH_HOST, `${service.base}/api/v1/files`, service.key],
    { encoding: 'utf8' },
  );
  expect(new URL((JSON.parse(named.stdout) as { url: string }).url).origin).toBe(service.base);
});

/** Program that sends a Host header, which `fetch` cannot set. */
const REQUEST_WITH_HOST = `
  const [url, key] = process.argv.slice(1);
  const headers = { host: 'evil.example', authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  require('node:http')
    .request(url, { method: 'PUT', headers }, (answer) => answer.pipe(process.stdout))
    .end('{"name":"b.txt"}');`;

/** Program that starts a service, prints its process id and keeps running. */
const STARTER = `
  const { spawn } = require('node:child_process');
  console.log(spawn(process.execPath, ['server/start.ts'], { detached: true, stdio: 'ignore' }).pid);
  setInterval(() => {}, 1000);`;

it('ends with the process that started it, even during start-up', async () => {
  const state = mkdtempSync(join(tmpdir(), 'sluice-'));
  const environment = { ...process.env, PORT: String(await freePort()), STATE_DIR: state };
  const starter = spawn(process.execPath, ['-e', STARTER], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(starter.stdout, 'data');
  const group = -Number(pid);
  const isThere = () => {
    try {
      return process.kill(group, 0);
    } catch {
      return false;
    }
  };
  try {
    // The state folder is locked, and the database does not exist yet.
    await vi.waitUntil(() => !isThere() || existsSync(join(state, 'sluice.sock')), {
      timeout: PATIENCE_MS,
      interval: 10,
    });
    expect(isThere()).toBe(true);
    starter.kill('SIGKILL');
    for (let waited = 0; isThere() && waited < PATIENCE_MS; waited += 100) await sleep(100);
    expect(isThere()).toBe(false);
  } finally {
    starter.kill('SIGKILL');
    if (isThere()) process.kill(group, 'SIGKILL');
    rmSync(state, { recursive: true, force: true });
  }
});

describe('second service from the same checkout', () => {
  it('does not affect the first one', async () => {
    const before = listRuntimes(service).map(({ pid }) => pid);
    const second = new Service();
    let isUp = false;
    const starting = second.start().finally(() => {
      isUp = true;
    });
    try {
      let answers = 0;
      for (; !isUp; answers += 1) {
        expect((await fetch(`${service.base}/health`)).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await starting;
      expect(answers).toBeGreaterThan(0);
      expect((await fetch(`${second.base}/health`)).status).toBe(200);
      expect(listRuntimes(service).map(({ pid }) => pid)).toEqual(before);
    } finally {
      await starting.catch(() => {});
      await second.end();
    }
  });

  it('is rejected for the same state folder', () => {
    const environment = { ...process.env, PORT: '0', STATE_DIR: service.state };
    const { status, stderr } = spawnSync(process.execPath, ['server/start.ts'], {
      env: environment,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    expect({ status, stderr }).toEqual({
      status: EXIT.stateInUse,
      stderr: expect.stringContaining('is in use by another Sluice'),
    });
  });
});
