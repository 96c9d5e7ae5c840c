import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { runtimesOf } from './runtimes.ts';
import { freePort, Service, sleep } from './service.ts';

const service = new Service();
beforeAll(() => service.start());
afterAll(() => service.end());

describe('the doors of the development server', () => {
  it.each([
    '/cdn-cgi/explorer/api/',
    '/cdn-cgi/local/explorer',
    '/cdn-cgi/local/explorer/api/local/workers',
    '/cdn-cgi/local/explorer/api/d1/database',
    '/cdn-cgi/local/scheduled',
    '/cdn-cgi/handler/scheduled',
    '/cdn-cgi/mf/scheduled',
    '/cdn-cgi/local/email?from=a@b.example&to=c@d.example',
    '/cdn-cgi/handler/email?from=a@b.example&to=c@d.example',
    '/cdn-cgi/local/r2/public/sluice-files/x',
    '/cdn-cgi/local/r2/s3/sluice-files/x',
    '/cdn-cgi/ProxyWorker/pause',
    '/core/bindings',
    '/__scheduled',
  ])('%s is nothing that the service knows', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(service.base + path, { method });
      expect(answer.status, method).toBe(404);
      expect(await answer.json(), method).toMatchObject({ code: 'not_found' });
    }
  });

  it('takes nothing to the proxy of objects without its secret', async () => {
    const url = `${service.base}/cdn-cgi/local/platform-proxy`;
    expect((await fetch(url)).status).toBe(400);
    const headers = { 'MF-Op': 'GET', 'MF-Op-Target': 'env', 'MF-Op-Key': 'DB', 'MF-Op-Secret': '00' };
    expect((await fetch(url, { headers })).status).toBe(401);
  });

  it('reaches no other Worker by naming it', async () => {
    for (const name of ['sluice-parser', 'sluice-ocr', 'core:user:sluice-parser']) {
      const answer = await fetch(`${service.base}/health`, { headers: { 'MF-Route-Override': name } });
      expect(answer.status, name).toBe(404);
    }
  });

  it('has no inspector and no port for other sessions', () => {
    const commands = runtimesOf(service).map(({ command }) => command);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      expect(command).toContain('--socket-addr=entry=127.0.0.1:');
      expect(command).not.toMatch(/inspector|debug-port/);
    }
  });
});

it('leads signed URLs to its own address, whatever Host a request names', async () => {
  const { url } = await service.call<{ url: string }>('PUT', '/api/v1/files', { name: 'a.txt' });
  expect(new URL(url).origin).toBe(service.base);
  const named = spawnSync(
    process.execPath,
    ['-e', REQUEST_WITH_HOST, `${service.base}/api/v1/files`, service.key],
    { encoding: 'utf8' },
  );
  expect(new URL((JSON.parse(named.stdout) as { url: string }).url).origin).toBe(service.base);
});

/** fetch sends no Host of the caller's. */
const REQUEST_WITH_HOST = `
  const [url, key] = process.argv.slice(1);
  const headers = { host: 'evil.example', authorization: 'Bearer ' + key, 'content-type': 'application/json' };
  require('node:http')
    .request(url, { method: 'PUT', headers }, (answer) => answer.pipe(process.stdout))
    .end('{"name":"b.txt"}');`;

/** Starts a service, tells its process, and stays. */
const STARTER = `
  const { spawn } = require('node:child_process');
  console.log(spawn(process.execPath, ['server/start.ts'], { detached: true, stdio: 'ignore' }).pid);
  setInterval(() => {}, 1000);`;

it('ends with whoever started it, also when that is gone before it is up', async () => {
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
    // It has its state, and the database is still to be made.
    while (isThere() && !existsSync(join(state, 'sluice.sock'))) await sleep(10);
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

describe('a second service from the same checkout', () => {
  it('leaves the first one as it is', async () => {
    const before = runtimesOf(service).map(({ pid }) => pid);
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
      expect(runtimesOf(service).map(({ pid }) => pid)).toEqual(before);
    } finally {
      await starting.catch(() => {});
      await second.end();
    }
  });

  it('is refused over the same state', () => {
    const environment = { ...process.env, PORT: '0', STATE_DIR: service.state };
    const { status, stderr } = spawnSync(process.execPath, ['server/start.ts'], {
      env: environment,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('state is in use by another Sluice'),
    });
  });
});
