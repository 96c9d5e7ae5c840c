import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'correct horse, "battery" \\ staple';
/** Options that run the database as `nobody`, because it refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534, cwd: '/' } : {};
const resolvePath = (name: string) => fileURLToPath(new URL(`../databases/${name}`, import.meta.url));

const children: ChildProcessWithoutNullStreams[] = [];

/** Starts a script and waits for its first line of output. */
async function started(script: string, args: string[], options: object = {}): Promise<string> {
  const child = spawn(process.execPath, [resolvePath(script), ...args], options);
  children.push(child);
  let complaint = '';
  child.stderr.on('data', (piece) => {
    complaint += piece;
  });
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const end = once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended: ${complaint}`)));
  const [said] = await Promise.race([line, end]);
  return said;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe('PostgreSQL server with TLS and SCRAM passwords', () => {
  let port: number;
  let trusting: string;
  let distrusting: string;

  beforeAll(async () => {
    port = await freePort();
    const trusted = { env: { ...process.env, NODE_EXTRA_CA_CERTS: resolvePath('tls/ca.pem') } };
    await started('secured-server.ts', [String(port), PASSWORD], NOBODY);
    trusting = await started('checking-runtime.ts', [], trusted);
    distrusting = await started('checking-runtime.ts', []);
  });
  afterAll(async () => {
    const ends = children.map((child) => child.exitCode ?? once(child, 'exit'));
    for (const child of children) child.stdin.end();
    await Promise.all(ends);
  });

  const check = async (changes: object = {}, runtime = trusting) => {
    const body = {
      ...{ host: 'localhost', port, database: 'postgres', user: 'owner', password: PASSWORD },
      ...{ schema_name: 's', table_name: 't', embed_dim: 8, ...changes },
    };
    const response = await fetch(runtime, { method: 'POST', body: JSON.stringify(body) });
    return (await response.json()) as { message: string; issues: { loc: string[]; msg: string }[] };
  };
  const naming = (field: string, msg: RegExp) => ({
    issues: [{ loc: ['body', 'component', field], msg: expect.stringMatching(msg) }],
  });

  it('is connected to and reported to lack the vector extension', async () => {
    expect(await check()).toMatchObject(naming('perform_setup', /does not have the vector extension/));
  });

  it('rejects a wrong password, user or database with the setting name', async () => {
    expect(await check({ password: 'wrong' })).toMatchObject(naming('password', /28P01/));
    expect(await check({ user: 'nobody' })).toMatchObject(naming('password', /28P01/));
    expect(await check({ database: 'none' })).toMatchObject(naming('database', /3D000/));
  });

  it('receives nothing if its certificate is untrusted or for another name', async () => {
    const untrusted = naming('host', /certificate/);
    expect(await check({}, distrusting)).toMatchObject(untrusted);
    expect(await check({ host: '127.0.0.1' })).toMatchObject(untrusted);
  });
});
