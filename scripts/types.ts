import { wrangler } from './wrangler.ts';

// Writes what wrangler.toml binds as types; `--check` only says whether they are as it says. Without variables: those
// are the machine's own, and src/settings/env.ts reads them.

wrangler(
  'types',
  'worker-configuration.d.ts',
  ...['-c', 'wrangler.toml', '-c', 'parser/wrangler.toml', '-c', 'ocr/wrangler.toml'],
  ...['--env-interface', 'GeneratedBindings', '--include-runtime=false', '--env-file', '/dev/null'],
  ...process.argv.slice(2),
);
