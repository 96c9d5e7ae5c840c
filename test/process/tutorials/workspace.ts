import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Language } from './tutorial.ts';

/** The address that the tutorials name: the default one of `npm start`. */
const DOCUMENTED_ADDRESS = 'http://127.0.0.1:8787';

/** Parts of the checkout that commands of a tutorial use. */
const LINKED = ['package.json', 'node_modules', 'scripts', 'src'];

export interface Output {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A terminal in a copy of the checkout's folder, in which a test follows a tutorial. */
export class Workspace {
  readonly #root = mkdtempSync(join(tmpdir(), 'tutorial-'));
  /** Working directory of the terminal, which commands may change. */
  folder = join(this.#root, 'checkout');
  /** Variables that the terminal has exported. */
  #environment: Record<string, string>;
  readonly #addresses: Readonly<Record<string, string>>;

  /**
   * `key` is the API key in the workspace's `.dev.vars`. `addresses` maps addresses that the tutorial names to those of
   * the services that the test started; a single string stands for the default address.
   */
  constructor(key: string, addresses: string | Readonly<Record<string, string>>) {
    this.#addresses = typeof addresses === 'string' ? { [DOCUMENTED_ADDRESS]: addresses } : addresses;
    mkdirSync(this.folder);
    for (const name of LINKED) symlinkSync(resolve(name), join(this.folder, name));
    cpSync('examples', join(this.folder, 'examples'), { recursive: true });
    writeFileSync(join(this.folder, '.dev.vars'), `BOOTSTRAP_API_KEY="${key}"\n`);
    const { FORCE_COLOR, NODE_OPTIONS, VITEST, NODE_ENV, ...inherited } = process.env;
    this.#environment = {
      ...(inherited as Record<string, string>),
      // The reader's `node` is the one that runs the tests.
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    };
  }

  /** Runs commands of a **Terminal** block. Variables that they export stay set for what runs afterwards. */
  async terminal(commands: string): Promise<Output> {
    const kept = join(this.#root, 'environment');
    const output = await this.#shell(`${commands}\nenv -0 > ${kept}\n`);
    const variables = readFileSync(kept, 'utf8').split('\0').filter(Boolean);
    this.#environment = Object.fromEntries(
      variables.map((variable) => {
        const equals = variable.indexOf('=');
        return [variable.slice(0, equals), variable.slice(equals + 1)];
      }),
    );
    this.folder = this.#environment.PWD!;
    return output;
  }

  /** Makes the packages of the checkout available in the working directory, as the reader does by `npm install`. */
  linkPackages(): void {
    symlinkSync(resolve('node_modules'), join(this.folder, 'node_modules'));
  }

  /** Runs a program in a language. Throws what the program printed if it fails. */
  run(language: Language, program: string): Promise<Output> {
    if (language === 'curl') return this.#shell(program);
    const [extension, runner] =
      language === 'Python' ? ['py', [resolve('test/process/tutorials/python.ts')]] : ['ts', []];
    writeFileSync(join(this.folder, `program.${extension}`), program);
    return this.execute(process.execPath, [...runner, `program.${extension}`]);
  }

  read(path: string): Buffer {
    return readFileSync(join(this.folder, path));
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  remove(path: string): void {
    rmSync(join(this.folder, path), { recursive: true, force: true });
  }

  end(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #shell(commands: string): Promise<Output> {
    const addressed = Object.entries(this.#addresses).reduce(
      (text, [documented, actual]) => text.replaceAll(documented, actual),
      commands,
    );
    return this.execute('bash', ['-euo', 'pipefail', '-c', addressed]);
  }

  /** Starts a command in the folder and with the variables of the terminal. */
  start(command: string, parameters: readonly string[]) {
    return spawn(command, parameters, {
      cwd: this.folder,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Runs a command like `start` and waits for its end. Throws what it printed if it fails. */
  execute(command: string, parameters: readonly string[]): Promise<Output> {
    const child = this.start(command, parameters);
    const output: Output = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    return new Promise((done, fail) => {
      child.once('error', fail);
      child.once('close', (code) => {
        output.code = code;
        if (code === 0) done(output);
        else fail(new Error(`${command} ended with ${code}.\n${output.stdout}\n${output.stderr}`));
      });
    });
  }
}
