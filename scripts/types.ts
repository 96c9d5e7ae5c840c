import { wrangler } from './wrangler.ts';

// Writes the bindings of wrangler.toml as types. `--check` only compares them. Variables are excluded,
// because they differ between machines and src/settings/env.ts declares them.

wrangler(
  'types',
  'worker-configuration.d.ts',
  ...['-c', 'wrangler.toml', '-c', 'parser/wrangler.toml', '-c', 'ocr/wrangler.toml'],
  ...['--env-interface', 'GeneratedBindings', '--include-runtime=false', '--env-file', '/dev/null'],
  ...process.argv.slice(2),
);
