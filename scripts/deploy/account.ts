import { z } from 'zod';
import type { Operator } from './ask.ts';
import { DeployFailure, PlatformFailure } from './failures.ts';
import type { Platform } from './platform.ts';

const NEEDED =
  'Account: D1 Edit, Workers R2 Storage Edit, Queues Edit, Workers Scripts Edit, Account Settings Read; with --vectorize Vectorize Edit; with --domain Zone Read and Workers Routes Edit of its zone';

/** The dashboard's form of a new token with all that a deployment always needs filled in. */
const TOKEN_PAGE = `https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=${encodeURIComponent(
  JSON.stringify([
    { key: 'd1', type: 'edit' },
    { key: 'workers_r2', type: 'edit' },
    { key: 'queues', type: 'edit' },
    { key: 'workers_scripts', type: 'edit' },
    { key: 'account_settings', type: 'read' },
  ]),
)}&accountId=*&zoneId=all&name=Sluice`;

/** From the environment, else typed in. It is never written down. */
export async function tokenOf(operator: Operator | undefined): Promise<string> {
  const given = process.env.CLOUDFLARE_API_TOKEN?.trim();
  if (given) return given;
  const typed = (await operator?.secret(`A token (${NEEDED}) of\n${TOKEN_PAGE}\n`))?.trim();
  if (typed) return typed;
  throw new DeployFailure(`No token. Make one (${NEEDED}) and set CLOUDFLARE_API_TOKEN:\n${TOKEN_PAGE}`);
}

const accountSchema = z.looseObject({ id: z.string(), name: z.string() });
type Account = z.infer<typeof accountSchema>;

/** The id of the account: the one that is named, else the only one that the token is for, else the chosen one. */
export async function accountOf(
  platform: Platform,
  named: string | undefined,
  operator: Operator | undefined,
): Promise<string> {
  if (named) return named;
  const accounts = await accountsOf(platform);
  const [only, second] = accounts;
  if (!only) {
    throw new DeployFailure(
      'The token shows no account. Name it with --account (its id stands in the address of the dashboard), or give the token the permission "Account, Account Settings, Read".',
    );
  }
  if (!second) return only.id;
  const list = accounts.map(({ id, name }, index) => `  ${index + 1}  ${id}  ${name}`).join('\n');
  const answer = await operator?.text(`The token is for several accounts:\n${list}\nWhich one (a number)? `);
  const chosen = answer === undefined ? undefined : accounts[Number(answer) - 1];
  if (chosen) return chosen.id;
  throw new DeployFailure(`The token is for several accounts; name one with --account:\n${list}`);
}

async function accountsOf(platform: Platform): Promise<Account[]> {
  try {
    return await platform.list('/accounts', accountSchema);
  } catch (cause) {
    // A token that nobody knows is answered so before any right is asked for.
    if (cause instanceof PlatformFailure && [400, 401, 403].includes(cause.status)) {
      throw new DeployFailure(`The platform does not take the token.\n${cause.message}`);
    }
    throw cause;
  }
}
