import { existsSync, globSync, readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { EXIT } from '#server/exit-codes.ts';
import { readOptions } from '#server/options.ts';

// The files for container and service manager: they must be valid, and agree with each other and with the server.

const read = (file: string) => readFileSync(file, 'utf8');
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const compose = read('compose.yaml');
const unit = read('deploy/systemd/sluice.service');

/** Arguments of each instruction of the Dockerfile with this name. */
const instructions = (name: string) =>
  [...dockerfile.matchAll(new RegExp(`^${name}\\s+(.*)$`, 'gm'))].map(([, text]) => text!.trim());
/** Values of a directive of the unit. */
const directives = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, text]) => text!);
const variablesIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map((m) => [m[1], m[2]]));

const imageVariables = variablesIn(instructions('ENV').join(' '));
const unitVariables = variablesIn(directives('Environment').join(' '));

it('Dockerfile passes the linter', () => {
  expect(validate(read('Dockerfile'))).toEqual([]);
});

it('image uses the tested Node version', () => {
  const { node } = JSON.parse(read('package.json')).devDependencies;
  const bases = instructions('FROM').map((text) => text.split(' ')[0]);
  expect(new Set(bases)).toEqual(new Set([`node:${node}-bookworm-slim`]));
});

it('image copies and runs only existing files that .dockerignore includes', () => {
  const sources = instructions('COPY')
    .filter((text) => !text.startsWith('--from'))
    .flatMap((text) => text.split(/\s+/).slice(0, -1));
  const run = [...dockerfile.matchAll(/(?:scripts|server)\/[\w-]+\.ts/g)].map(([file]) => file);
  const started = [...unit.matchAll(/server\/[\w-]+\.ts/g)].map(([file]) => file);
  expect(started).toEqual(['server/start.ts']);
  for (const file of [...sources, ...run, ...started]) expect(existsSync(file), file).toBe(true);
  const ignored = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const needed = [
    ...sources.filter((name) => name !== '.'),
    'wrangler.toml',
    'LICENSE',
    'migrations',
    'console/src',
  ];
  for (const pattern of ignored) expect(needed).not.toContain(pattern);
  // Sources of the bundles; state, secrets and what the build makes stay outside.
  for (const folder of globSync('{src,parser,ocr,server,console,scripts,durable-objects,queues}')) {
    expect(ignored).not.toContain(folder);
  }
  for (const name of ['.git', '.dev.vars', '.wrangler', 'node_modules', 'dist'])
    expect(ignored).toContain(name);
});

it('image and systemd unit set the same variables except host and folders', () => {
  const { HOST, STATE_DIR, SECRETS_FILE, ...image } = imageVariables;
  const { HOST: unitHost, STATE_DIR: unitState, SECRETS_FILE: unitSecrets, ...installed } = unitVariables;
  expect(installed).toEqual(image);
  expect([HOST, unitHost]).toEqual(['0.0.0.0', '127.0.0.1']);
  expect(SECRETS_FILE).toBe(`${STATE_DIR}/secrets.env`);
  expect(unitSecrets).toBe(`${unitState}/secrets.env`);
  expect(readOptions({ environment: imageVariables as NodeJS.ProcessEnv })).toMatchObject({
    port: Number(image.PORT),
    stateDir: STATE_DIR,
    secretsFile: SECRETS_FILE,
  });
});

it('Compose publishes the port of the image and mounts its volume', () => {
  const { PORT, STATE_DIR } = imageVariables;
  expect(instructions('EXPOSE')).toEqual([PORT]);
  expect(instructions('VOLUME')).toEqual([STATE_DIR]);
  expect(compose).toContain(`- "127.0.0.1:${PORT}:${PORT}"`);
  expect(compose).toContain(`- state:${STATE_DIR}\n`);
  expect(compose).toMatch(/^volumes:\n {2}state:\n {2}vectors:\n/m);
  expect(compose).toContain(`http://127.0.0.1:${PORT}`);
});

it('service runs without superuser and capabilities, and writes only to its state', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM'));
  expect(/^USER (.*)$/m.exec(last)?.[1]).toBe('node');
  for (const line of ['read_only: true', '- ALL', '- no-new-privileges:true', '- /tmp:']) {
    expect(compose).toContain(line);
  }
  expect(directives('User')).toEqual(['sluice']);
  expect(directives('NoNewPrivileges')).toEqual(['true']);
  expect(directives('ProtectSystem')).toEqual(['strict']);
  expect(directives('ReadWritePaths')).toEqual([unitVariables.STATE_DIR]);
  expect(`/var/lib/${directives('StateDirectory')[0]}`).toBe(unitVariables.STATE_DIR);
  expect(directives('RestrictAddressFamilies')[0]!.split(' ')).toContain('AF_UNIX');
  // With it V8 could not compile anything.
  expect(directives('MemoryDenyWriteExecute')).toEqual(['false']);
});

it('running requests get the shutdown time of the server', () => {
  const seconds = readOptions({ environment: {} }).shutdownMs / 1000;
  expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(seconds);
  expect(Number(directives('TimeoutStopSec')[0])).toBeGreaterThan(seconds);
  expect(instructions('STOPSIGNAL')).toEqual(['SIGTERM']);
  expect(directives('KillMode')).toEqual(['mixed']);
});

it('documentation covers each server setting and exit code', () => {
  const source = read('server/options.ts');
  const settings = [...source.matchAll(/(?:environment\.|(?:number|seconds)\(')([A-Z_]+)/g)].map(
    ([, name]) => name,
  );
  expect(settings).toContain('SHUTDOWN_SECONDS');
  const configuration = read('docs/reference/configuration.md');
  for (const name of settings) expect(configuration).toMatch(new RegExp(`^\\| \`${name}\``, 'm'));
  const commands = read('docs/reference/cli.md');
  for (const code of Object.values(EXIT)) expect(commands).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
});

it('service is not restarted for permanent errors', () => {
  const codes = directives('RestartPreventExitStatus')[0]!.split(' ').map(Number);
  expect(codes).toEqual([EXIT.badState, EXIT.badConfiguration]);
});
