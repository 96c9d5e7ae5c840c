import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { apiKey } from './service.ts';
import { SharedService } from './shared-client.ts';

interface Ran {
  code: number;
  said: string;
}

function doctor(base: string, key: string, ...options: string[]): Promise<Ran> {
  const env = { ...process.env, BASE_URL: base, SLUICE_API_KEY: key };
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/doctor.ts', ...options], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr });
    });
  });
}

const lines = ({ said }: Ran) => said.trimEnd().split('\n');

describe('for a running service', () => {
  const service = new SharedService();
  beforeAll(() => service.start());

  it('runs every check of the service', async () => {
    const ran = await doctor(service.base, apiKey());
    const description = JSON.stringify(await (await fetch(`${service.base}/openapi.json`)).json());
    const names = /"check":\{"type":"string","enum":(\[[^\]]+\])/.exec(description)?.[1];
    const checks = JSON.parse(names ?? '[]') as string[];
    expect(checks.length).toBeGreaterThan(5);
    for (const check of checks) {
      expect(
        lines(ran).some((line) => line.includes(` ${check}: `)),
        `${check} in ${ran.said}`,
      ).toBe(true);
    }
    for (const healthy of ['bindings', 'schema', 'secrets']) {
      expect(
        lines(ran).some((line) => line.startsWith(`ok    ${healthy}: `)),
        healthy,
      ).toBe(true);
    }
  });

  it('requires the operator key', async () => {
    const ran = await doctor(service.base, service.key, '--check', 'schema');
    expect(ran.code).toBe(1);
    expect(ran.said).toMatch(/^fail {2}schema: 403 /m);
  });

  it('rejects an unknown check', async () => {
    const ran = await doctor(service.base, apiKey(), '--check', 'everything');
    expect(ran.code).toBe(2);
    expect(ran.said).toContain('dead_letters');
  });
});

describe('for an unhealthy service', () => {
  let server: Server | undefined;
  afterEach(() => void server?.close());

  interface Asked {
    check: string;
    fix: boolean;
    page_token: string | null;
  }

  /**
   * Starts a fake service whose checks report the given number of problems per page and fix them on request.
   */
  async function ill({ level, pages = 1, each = 1 }: { level: string; pages?: number; each?: number }) {
    const asked: Asked[] = [];
    server = createServer(async (request, response) => {
      if (request.url === '/health')
        return void response.end(JSON.stringify({ checks: { database: { ok: true } } }));
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Asked;
      asked.push(body);
      const page = Number(body.page_token ?? 0) + 1;
      const finding = { level, place: 'a place', message: 'It is lost.', mended: body.fix };
      const findings = new Array(each).fill(finding);
      const next_page_token = page < pages ? String(page) : null;
      response.end(JSON.stringify({ examined: each, findings, next_page_token }));
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  it('fails for lost data and explains the fix', async () => {
    const { base, asked } = await ill({ level: 'fail' });
    const ran = await doctor(base, 'key', '--check', 'jobs');
    expect(ran.code).toBe(1);
    expect(ran.said).toContain('fail  jobs: a place: It is lost.\n');
    expect(ran.said).toContain('--fix');
    expect(asked).toMatchObject([{ check: 'jobs', fix: false, page_token: null }]);
  });

  it('reports a missing schema before using a key and stops', async () => {
    const asked: string[] = [];
    server = createServer((request, response) => {
      asked.push(request.url!);
      const error = 'Apply the migrations: api_keys lacks parent_id.';
      const checks = { database: { ok: true }, schema: { ok: false, error } };
      response.writeHead(request.url === '/health' ? 503 : 500).end(JSON.stringify({ checks }));
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const ran = await doctor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');
    expect(ran.code).toBe(1);
    expect(lines(ran)).toEqual([
      'fail  schema: Apply the migrations: api_keys lacks parent_id.',
      expect.stringContaining('apply the migrations'),
    ]);
    expect(asked).toEqual(['/health']);
  });

  it('does not fail for warnings or fixed problems', async () => {
    const room = await ill({ level: 'warn' });
    expect((await doctor(room.base, 'key', '--check', 'objects')).code).toBe(0);
    server?.close();
    const { base, asked } = await ill({ level: 'fail' });
    const ran = await doctor(base, 'key', '--check', 'jobs', '--fix');
    expect(ran.code).toBe(0);
    expect(ran.said).toContain('ok    jobs: a place: It is lost. Repaired.\n');
    expect(asked).toMatchObject([{ fix: true }]);
  });

  it('reads all pages and prints a limited number of lines', async () => {
    const { base, asked } = await ill({ level: 'warn', pages: 5, each: 30 });
    const ran = await doctor(base, 'key', '--check', 'objects');
    expect(asked.map(({ page_token }) => page_token)).toEqual([null, '1', '2', '3', '4']);
    expect(lines(ran).filter((line) => line.startsWith('warn'))).toHaveLength(20);
    expect(ran.said).toContain('and 130 more');
  });
});
