import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeApi } from './describe-api.ts';
import { COMPILER, ENTRY, PACKAGE, README } from './package-files.ts';

const USAGE = 'Usage: npm run client [-- --output FOLDER]. Writes the package into FOLDER (dist/client).';

// Generates a typed client of the API as an npm package. No service needs to run.

/** Runs a program of node_modules in a folder. Throws what it printed if it fails. */
function run(program: string, args: string[], folder: string): void {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve('node_modules', program), ...args],
    options,
  );
  if (status !== 0) throw new Error(`${program} failed:\n${stdout}${stderr}`);
}

/** Writes the package into a folder, with the sources in a folder `source`, which is not published. */
async function writeClient(folder: string): Promise<void> {
  const sources = join(folder, 'source');
  mkdirSync(sources, { recursive: true });
  writeFileSync(join(sources, 'openapi.json'), await describeApi());
  run('oazapfts/dist/cli.js', ['openapi.json', 'api.ts'], sources);
  writeFileSync(join(sources, 'index.ts'), ENTRY);
  writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify(COMPILER));
  run('typescript/bin/tsc', ['-p', 'tsconfig.json'], sources);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), README);
}

function readFolder(): string | undefined {
  try {
    const options = {
      output: { type: 'string', default: 'dist/client' },
      help: { type: 'boolean' },
    } as const;
    const { values } = parseArgs({ options });
    return values.help ? undefined : values.output;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const folder = readFolder();
if (folder === undefined) console.log(USAGE);
else {
  await writeClient(folder);
  console.log(`${PACKAGE.name} ${PACKAGE.version} is in ${folder}.`);
}
