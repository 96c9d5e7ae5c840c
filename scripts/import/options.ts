import { parseArgs } from 'node:util';
import { UsageError } from './failures.ts';

export const USAGE = `npm run import -- --from <url> --to <url> [options]

Copies a project between two servers that speak the LlamaCloud API.

  --from <url>            server to copy from, such as https://api.cloud.llamaindex.ai
  --from-key <key>        its API key. The variable IMPORT_FROM_KEY is safer, because others can see arguments
  --from-project <name>   name or id of the project to copy (the default project)
  --to <url>              server to copy to, such as http://127.0.0.1:8787/compat
  --to-key <key>          its API key. The variable IMPORT_TO_KEY is safer
  --project <name>        name or id of the project to copy into (the default project). It is created if it does not exist
  --pipeline <name>       copies only this pipeline and what it needs. The option can be repeated
  --secrets <file>        JSON file with the secrets that servers mask (IMPORT_SECRETS; otherwise you are asked)
  --state <file>          file that records what has been copied (import-state.jsonl)
  --concurrency <number>  number of files copied at the same time, 1 to 64 (4)
  --no-verify             does not read the copied files back
  --no-sync               does not start the syncs of the pipelines at the end
  --dry-run               lists what would be copied
`;

export interface Options {
  from: string;
  fromKey: string;
  fromProject: string | undefined;
  to: string;
  toKey: string;
  project: string | undefined;
  pipelines: readonly string[];
  secretsFile: string | undefined;
  state: string;
  concurrency: number;
  verify: boolean;
  sync: boolean;
  dryRun: boolean;
}

/**
 * Reads the command line and the environment. Returns `undefined` if only the help was requested. Throws
 * `UsageError`.
 */
export function readOptions(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Options | undefined {
  const values = parseArguments(args);
  if (values.help) return undefined;
  const required = (name: string, value: string | undefined) => {
    if (!value) throw new UsageError(`${name} is missing.`);
    return value;
  };
  const concurrency = Number(values.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
    throw new UsageError('--concurrency must be a whole number from 1 to 64.');
  }
  return {
    from: parseServerUrl('--from', required('--from', values.from)),
    fromKey: required('--from-key or IMPORT_FROM_KEY', values['from-key'] ?? environment.IMPORT_FROM_KEY),
    fromProject: values['from-project'],
    to: parseServerUrl('--to', required('--to', values.to)),
    toKey: required('--to-key or IMPORT_TO_KEY', values['to-key'] ?? environment.IMPORT_TO_KEY),
    project: values.project,
    pipelines: values.pipeline,
    secretsFile: values.secrets,
    state: values.state,
    concurrency,
    verify: !values['no-verify'],
    sync: !values['no-sync'],
    dryRun: values['dry-run'],
  };
}

function parseArguments(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        from: text,
        'from-key': text,
        'from-project': text,
        to: text,
        'to-key': text,
        project: text,
        pipeline: { type: 'string', multiple: true, default: [] as string[] },
        secrets: text,
        state: { type: 'string', default: 'import-state.jsonl' },
        concurrency: { type: 'string', default: '4' },
        'no-verify': flag,
        'no-sync': flag,
        'dry-run': flag,
        help: flag,
      },
    }).values;
  } catch (cause) {
    // The error message names the option but not its value, which may be a secret.
    const { code, message } = cause as { code?: string; message: string };
    throw new UsageError(
      code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL'
        ? 'An argument is not an option. Every value needs an option in front of it.'
        : message,
    );
  }
}

/** Removes the trailing slash. Credentials in a URL are rejected, because the URL is stored in the state. */
function parseServerUrl(option: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(`${option} must be the address of a server and start with http:// or https://.`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageError(
      `${option} must be an address without user, query or fragment. Give keys in ${option}-key.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}
