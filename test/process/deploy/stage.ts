import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { Command, type Outcome } from './command.ts';
import { type AccountContents, PlatformServer } from './platform-server.ts';
import { SmallProject } from './small-project.ts';

/** Project and account after a deployment. */
interface Deployed {
  project: SmallProject;
  contents: AccountContents;
}

/** Provides a small project and an empty account for each test. */
export function useStage() {
  const server = new PlatformServer();
  let project: SmallProject;
  let command: Command;
  const deployed = new Map<string, Deployed>();
  beforeAll(() => server.start());
  afterAll(() => {
    for (const { project: copy, contents } of deployed.values()) {
      copy.remove();
      contents.stores.close();
    }
    server.stop();
  });
  beforeEach(() => {
    server.reset();
    project = new SmallProject();
    command = new Command(server, project.folder);
  });
  afterEach(() => project.remove());

  const deploy = (...options: string[]) => command.run(DEPLOY, [...first(server), ...options]);
  const installationFile = () => join(project.folder, 'installation.json');
  return {
    server,
    project: () => project,
    run: (script: string, args: readonly string[], variables?: Record<string, string>): Promise<Outcome> =>
      command.run(script, args, variables),
    /** Runs `npm run deploy` with the options of a first run. */
    deploy,
    /**
     * Replaces the project and the account by those after a deployment with the options. A deployment takes many
     * seconds, so only the first test of a file deploys, and the other tests continue from a copy.
     */
    async startDeployed(...options: string[]): Promise<void> {
      const key = options.join(' ');
      let state = deployed.get(key);
      if (!state) {
        const { code, err } = await deploy(...options);
        expect(code, err).toBe(0);
        state = { project: new SmallProject(project), contents: server.copyAccount() };
        deployed.set(key, state);
      }
      project.remove();
      project = new SmallProject(state.project);
      command = new Command(server, project.folder);
      server.reset(state.contents);
    },
    destroy: (...options: string[]): Promise<Outcome> => command.run('scripts/deploy/destroy.ts', options),
    /** Kills the running command, like a power cut. */
    kill: () => command.kill(),
    hasInstallation: () => existsSync(installationFile()),
    installation: () => JSON.parse(readFileSync(installationFile(), 'utf8')) as Record<string, unknown>,
    getSecrets: (name: string) => server.scripts.scripts.get(name)?.secrets ?? new Map<string, string>(),
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
/** Matches the output of the first key. */
export const KEY = /First API key, which is shown only now: (slc_[\w-]{43})/;
