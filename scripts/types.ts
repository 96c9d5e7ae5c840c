import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { unstable_readConfig } from 'wrangler';
import { wrangler } from './wrangler.ts';

/*
 * Generates two files of types: the bindings of the three Workers, and the globals and modules of the Workers runtime.
 * Variables are not generated, because they differ between machines and src/settings/env.ts declares them.
 *
 *   --check  fails if a file is out of date. For the runtime types, only the header is compared, because generating
 *            them starts workerd.
 */

const CONFIG = 'wrangler.toml';
const BINDINGS_FILE = 'worker-configuration.d.ts';
const RUNTIME_FILE = 'worker-runtime.d.ts';
/** Start of the line in which wrangler writes what the runtime types were generated with. */
const HEADER = '// Runtime types generated with ';

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== '--check')) {
  console.error('Usage: node scripts/types.ts [--check]');
  process.exit(2);
}
const isCheck = option === '--check';

wrangler(
  'types',
  BINDINGS_FILE,
  ...['-c', CONFIG, '-c', 'parser/wrangler.toml', '-c', 'ocr/wrangler.toml'],
  ...['--env-interface', 'GeneratedBindings', '--include-runtime=false', '--env-file', '/dev/null'],
  ...(isCheck ? ['--check'] : []),
);
if (!isCheck) {
  // Wrangler keeps the types of a file whose header is current, even if somebody edited them.
  rmSync(RUNTIME_FILE, { force: true });
  wrangler('types', RUNTIME_FILE, '-c', CONFIG, '--include-env=false', '--env-file', '/dev/null');
}

const actual = readRuntimeVersion();
const expected = getRuntimeVersion();
if (actual !== expected) {
  console.error(
    `${RUNTIME_FILE} ${actual ? `was generated with ${actual}` : 'is missing or has no header'}, but ${CONFIG} and the ` +
      `installed packages require ${expected}. Run \`npm run types\` and commit the file.`,
  );
  process.exit(1);
}

/**
 * Returns the version of workerd, the compatibility date and the flags that the runtime types were generated with.
 * Returns `undefined` if the file is missing or has no header.
 */
function readRuntimeVersion(): string | undefined {
  try {
    const lines = readFileSync(RUNTIME_FILE, 'utf8').split('\n', 10);
    return lines.find((line) => line.startsWith(HEADER))?.slice(HEADER.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the version of the workerd that wrangler uses, and the compatibility date and flags of wrangler.toml. */
function getRuntimeVersion(): string {
  const { compatibility_date: date, compatibility_flags: flags } = unstable_readConfig(
    { config: CONFIG },
    { hideWarnings: true },
  );
  const requireFromWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler/package.json'));
  const { version } = requireFromWrangler('workerd/package.json') as { version: string };
  return [`workerd@${version}`, date, flags.toSorted().join(',')].filter(Boolean).join(' ');
}
