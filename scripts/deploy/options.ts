import { parseArgs } from 'node:util';
import { DeployFailure } from './failures.ts';
import { NAME } from './installation.ts';
import type { DeployFlags } from './plan.ts';

export const USAGE = `npm run deploy -- [options]

Creates or updates an installation on Cloudflare. The API token is read from CLOUDFLARE_API_TOKEN. Without it you are
asked for one. The installation file stores the name, account, domain, URL and Vectorize options for later runs.

  --dry-run               prints what would be done, and changes nothing
  --installation <file>   file with names and ids of the installation (installation.json)
  --name <name>           name of the service Worker, and start of all other names (sluice)
  --account <id>          account, if the token has access to several
  --subdomain <name>      workers.dev subdomain, if the account has none yet
  --domain <host>         domain of the account that leads to the service, instead of workers.dev
  --url <url>             origin at which clients reach the service, if it is behind a proxy
  --vectorize <number>    creates a Vectorize index for vectors with this number of dimensions. Can be repeated
  --wait <seconds>        how long to wait until /health reports success (300)
  --force                 uploads Workers that have not changed
  --adopt                 takes over existing resources with these names that the installation file does not list
  --new-secrets           creates new secrets in place of missing ones that an earlier run has set
  --older-release         deploys a release that does not know all migrations of the database
`;

export const DESTROY_USAGE = `npm run destroy -- [options]

Deletes an installation and all its data.

  --dry-run               lists what would be deleted
  --installation <file>   file of the installation to delete (installation.json)
  --confirm <name>        name of the installation, if nobody is at a terminal to type it
`;

export interface DeployOptions {
  dryRun: boolean;
  installation: string;
  name: string | undefined;
  account: string | undefined;
  subdomain: string | undefined;
  domain: string | undefined;
  url: string | undefined;
  vectorize: number[];
  waitSeconds: number;
  wishes: DeployFlags;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const COMMON = {
  'dry-run': flag,
  help: flag,
  installation: { type: 'string', default: 'installation.json' },
} as const;

/**
 * Reads the command line of a deploy command. Returns `undefined` if the operator asked only for the help
 * text.
 */
export function readOptions(args: readonly string[]): DeployOptions | undefined {
  const values = parseOrFail(() =>
    parseArgs({
      args: [...args],
      options: {
        ...COMMON,
        name: text,
        account: text,
        subdomain: text,
        domain: text,
        url: text,
        vectorize: { type: 'string', multiple: true, default: [] },
        wait: { type: 'string', default: '300' },
        force: flag,
        adopt: flag,
        'new-secrets': flag,
        'older-release': flag,
      },
    }),
  ).values;
  if (values.help) return undefined;
  const { name, account, subdomain, domain, url, force, adopt } = values;
  check(
    name,
    NAME,
    '--name must have 2 to 50 lowercase letters, digits and hyphens. It must start with a letter and must not end with a hyphen.',
  );
  check(account, /^[0-9a-f]{32}$/, '--account must be an id of 32 lowercase hexadecimal digits.');
  check(
    subdomain,
    /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/,
    '--subdomain must have 2 to 63 lowercase letters, digits and hyphens, without a hyphen at the start or end.',
  );
  check(
    domain,
    /^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/,
    '--domain must be a lowercase host name, such as documents.example.com.',
  );
  if (domain && url)
    throw new DeployFailure(
      '--domain and --url cannot be used together, because --domain already sets the URL.',
    );
  return {
    dryRun: values['dry-run'],
    installation: values.installation,
    name,
    account,
    subdomain,
    domain,
    url: url === undefined ? undefined : parseOrigin(url),
    vectorize: values.vectorize.map((count) => parseInteger('--vectorize', count, 1, 1536)),
    waitSeconds: parseInteger('--wait', values.wait, 0, 3600),
    wishes: { force, adopt, newSecrets: values['new-secrets'], olderRelease: values['older-release'] },
  };
}

export interface DestroyOptions {
  dryRun: boolean;
  installation: string;
  confirm: string | undefined;
}

export function readDestroyOptions(args: readonly string[]): DestroyOptions | undefined {
  const { values } = parseOrFail(() => parseArgs({ args: [...args], options: { ...COMMON, confirm: text } }));
  if (values.help) return undefined;
  return { dryRun: values['dry-run'], installation: values.installation, confirm: values.confirm };
}

function parseOrFail<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new DeployFailure(
      `${cause instanceof Error ? cause.message : cause} Run the command with --help to see all options.`,
    );
  }
}

function check(value: string | undefined, pattern: RegExp, problem: string): void {
  if (value !== undefined && !pattern.test(value)) throw new DeployFailure(problem);
}

function parseOrigin(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new DeployFailure('--url must be an origin without a path, such as https://documents.example.com.');
  }
  return url.origin;
}

function parseInteger(option: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < least || number > most) {
    throw new DeployFailure(`${option} must be a whole number from ${least} to ${most}.`);
  }
  return number;
}
