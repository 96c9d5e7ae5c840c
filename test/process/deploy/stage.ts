import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Command, type Outcome } from './command.ts';
import { PlatformServer } from './platform-server.ts';
import { SmallProject } from './small-project.ts';

/** A small project and a bare account for each test of a file. */
export function useStage() {
  const server = new PlatformServer();
  let project: SmallProject;
  let command: Command;
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  beforeEach(() => {
    server.reset();
    project = new SmallProject();
    command = new Command(server, project.folder);
  });
  afterEach(() => project.remove());

  const installationFile = () => join(project.folder, 'installation.json');
  return {
    server,
    project: () => project,
    run: (script: string, args: readonly string[], variables?: Record<string, string>): Promise<Outcome> =>
      command.run(script, args, variables),
    /** As `npm run deploy` with what a first run has to be told. */
    deploy: (...options: string[]): Promise<Outcome> => command.run(DEPLOY, [...first(server), ...options]),
    destroy: (...options: string[]): Promise<Outcome> => command.run('scripts/deploy/destroy.ts', options),
    /** Ends the running command as a power cut would. */
    kill: () => command.kill(),
    hasInstallation: () => existsSync(installationFile()),
    installation: () => JSON.parse(readFileSync(installationFile(), 'utf8')) as Record<string, unknown>,
    secretsOf: (name: string) => server.scripts.scripts.get(name)?.secrets ?? new Map<string, string>(),
    uploads: () =>
      Object.fromEntries([...server.scripts.scripts].map(([name, { uploads }]) => [name, uploads])),
  };
}

export const DEPLOY = 'test/process/deploy/small-deploy.ts';
export const first = (server: PlatformServer) => [
  '--url',
  server.origin,
  '--subdomain',
  'tests',
  '--wait',
  '10',
];
/** How the first key is told. */
export const KEY = /First API key, shown this once: (slc_[\w-]{43})/;
