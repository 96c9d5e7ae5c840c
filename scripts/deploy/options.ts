import { parseArgs } from 'node:util';
import { DeployFailure } from './failures.ts';
import { NAME } from './installation.ts';
import type { Wishes } from './plan.ts';

export const USAGE = `npm run deploy -- [options]

The token is taken from CLOUDFLARE_API_TOKEN, else asked for. Options of a first run are kept in the installation.

  --dry-run               say what would be done, and do nothing
  --installation <file>   where names and ids are kept (installation.json)
  --name <name>           what the Workers and all else are named after (sluice)
  --account <id>          the account, if the token is for several
  --subdomain <name>      the account's subdomain of workers.dev, if it has none yet
  --domain <host>         a domain of the account that leads to the service, in place of workers.dev
  --url <url>             where clients reach the service, if something stands before it
  --vectorize <number>    an index of Vectorize for vectors of so many dimensions; may be given several times
  --wait <seconds>        how long /health is waited for (300)
  --force                 upload Workers that are as they should be
  --adopt                 take over what bears the names though the installation does not know it
  --new-secrets           make secrets anew that a former run has set and that are gone
  --older-release         go back to a release that does not know all migrations of the database
`;

export const DESTROY_USAGE = `npm run destroy -- [options]

  --dry-run               list what would be deleted
  --installation <file>   the installation that is to go (installation.json)
  --confirm <name>        its name, where nobody sits at a terminal to type it
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
  wishes: Wishes;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const COMMON = {
  'dry-run': flag,
  help: flag,
  installation: { type: 'string', default: 'installation.json' },
} as const;

/** Undefined when only the usage was asked for. */
export function readOptions(args: readonly string[]): DeployOptions | undefined {
  const values = parsed(() =>
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
  check(name, NAME, '--name takes small letters, digits and hyphens, 2 to 50, and begins with a letter.');
  check(account, /^[0-9a-f]{32}$/, '--account is an id of 32 hexadecimal digits.');
  check(
    subdomain,
    /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/,
    '--subdomain takes small letters, digits and hyphens.',
  );
  check(
    domain,
    /^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/,
    '--domain is the name of a host, as documents.example.com.',
  );
  if (domain && url) throw new DeployFailure('--domain says the address already; leave out --url.');
  return {
    dryRun: values['dry-run'],
    installation: values.installation,
    name,
    account,
    subdomain,
    domain,
    url: url === undefined ? undefined : originOf(url),
    vectorize: values.vectorize.map((count) => whole('--vectorize', count, 1, 1536)),
    waitSeconds: whole('--wait', values.wait, 0, 3600),
    wishes: { force, adopt, newSecrets: values['new-secrets'], olderRelease: values['older-release'] },
  };
}

export interface DestroyOptions {
  dryRun: boolean;
  installation: string;
  confirm: string | undefined;
}

export function readDestroyOptions(args: readonly string[]): DestroyOptions | undefined {
  const { values } = parsed(() => parseArgs({ args: [...args], options: { ...COMMON, confirm: text } }));
  if (values.help) return undefined;
  return { dryRun: values['dry-run'], installation: values.installation, confirm: values.confirm };
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new DeployFailure(`${cause instanceof Error ? cause.message : cause} --help lists all.`);
  }
}

function check(value: string | undefined, pattern: RegExp, problem: string): void {
  if (value !== undefined && !pattern.test(value)) throw new DeployFailure(problem);
}

function originOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new DeployFailure('--url is an origin: https:// and a host, without a path.');
  }
  return url.origin;
}

function whole(option: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isInteger(number) || number < least || number > most) {
    throw new DeployFailure(`${option} is a whole number from ${least} to ${most}.`);
  }
  return number;
}
