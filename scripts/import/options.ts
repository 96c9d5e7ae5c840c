import { parseArgs } from 'node:util';
import { WrongUse } from './failures.ts';

export const USAGE = `npm run import -- --from <url> --to <url> [options]

  --from <url>            the server to copy from, e.g. https://api.cloud.llamaindex.ai
  --from-key <key>        its key; better in the environment: IMPORT_FROM_KEY
  --from-project <name>   name or id of the project to copy; the default one if absent
  --to <url>              the server to copy to, e.g. http://127.0.0.1:8787/compat
  --to-key <key>          its key; better in the environment: IMPORT_TO_KEY
  --project <name>        name or id of the project to copy into, made if there is none; the default one if absent
  --pipeline <name>       only this pipeline and what it needs; may be given several times
  --secrets <file>        JSON with the secrets that servers mask; else IMPORT_SECRETS, else they are asked for
  --state <file>          what has been copied already (import-state.jsonl)
  --concurrency <number>  files at a time (4)
  --no-verify             do not read the copied bytes back
  --no-sync               do not start the pipelines' syncs at the end
  --dry-run               list what would be copied
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

/** What the command line and the environment say. Throws WrongUse; undefined when only the usage was asked for. */
export function readOptions(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Options | undefined {
  const values = parsed(args);
  if (values.help) return undefined;
  const required = (name: string, value: string | undefined) => {
    if (!value) throw new WrongUse(`${name} is missing.`);
    return value;
  };
  const concurrency = Number(values.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
    throw new WrongUse('--concurrency is a number from 1 to 64.');
  }
  return {
    from: address('--from', required('--from', values.from)),
    fromKey: required('--from-key or IMPORT_FROM_KEY', values['from-key'] ?? environment.IMPORT_FROM_KEY),
    fromProject: values['from-project'],
    to: address('--to', required('--to', values.to)),
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

function parsed(args: readonly string[]) {
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
    // It names the option, never its value.
    const { code, message } = cause as { code?: string; message: string };
    throw new WrongUse(code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL' ? 'Only options are taken.' : message);
  }
}

/** Without the slash at its end. Keys in it would end up in the state. */
function address(option: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new WrongUse(`${option} is the address of a server: http:// or https://`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new WrongUse(`${option} takes no user, query or fragment; keys have options of their own.`);
  }
  return url.href.replace(/\/+$/, '');
}
