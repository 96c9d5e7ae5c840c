import { z } from 'zod';
import { DeployFailure, PlatformFailure } from './failures.ts';
import type { OperatorPrompt } from './operator-prompt.ts';
import type { Platform } from './platform.ts';

const NEEDED =
  'Account: D1 Edit, Workers R2 Storage Edit, Queues Edit, Workers Scripts Edit, Account Settings Read. For --vectorize also Account: Vectorize Edit. For --domain also Zone: Zone Read, Workers Routes Edit';

/** Link to the dashboard's form for a new token, with all required permissions filled in. */
const TOKEN_PAGE = `https://dash.cloudflare.com/profile/api-tokens?permissionGroupKeys=${encodeURIComponent(
  JSON.stringify([
    { key: 'd1', type: 'edit' },
    { key: 'workers_r2', type: 'edit' },
    { key: 'queues', type: 'edit' },
    { key: 'workers_scripts', type: 'edit' },
    { key: 'account_settings', type: 'read' },
  ]),
)}&accountId=*&zoneId=all&name=Sluice`;

const PERMISSIONS = `Required permissions: ${NEEDED}.\nCreate a token with them at ${TOKEN_PAGE}\n`;

/** Returns the API token from the environment, or asks the operator for it. The token is never stored. */
export async function requireToken(operator: OperatorPrompt | undefined): Promise<string> {
  const given = process.env.CLOUDFLARE_API_TOKEN?.trim();
  if (given) return given;
  const typed = (await operator?.secret(`Enter a Cloudflare API token. ${PERMISSIONS}`))?.trim();
  if (typed) return typed;
  throw new DeployFailure(`The Cloudflare API token is missing. Set CLOUDFLARE_API_TOKEN. ${PERMISSIONS}`);
}

const accountSchema = z.looseObject({ id: z.string(), name: z.string() });
type Account = z.infer<typeof accountSchema>;

/**
 * Returns the account id: the given one, the only account of the token, or the one that the operator selects.
 */
export async function resolveAccountId(
  platform: Platform,
  named: string | undefined,
  operator: OperatorPrompt | undefined,
): Promise<string> {
  if (named) return named;
  const accounts = await listAccounts(platform);
  const [only, second] = accounts;
  if (!only) {
    throw new DeployFailure(
      'The token lists no account. Give the account id with --account (the address of the Cloudflare dashboard contains it), or add the permission "Account, Account Settings, Read" to the token.',
    );
  }
  if (!second) return only.id;
  const list = accounts.map(({ id, name }, index) => `  ${index + 1}  ${id}  ${name}`).join('\n');
  const answer = await operator?.text(
    `The token has access to several accounts:\n${list}\nNumber of the account: `,
  );
  const chosen = answer === undefined ? undefined : accounts[Number(answer) - 1];
  if (chosen) return chosen.id;
  throw new DeployFailure(`The token has access to several accounts. Choose one with --account:\n${list}`);
}

async function listAccounts(platform: Platform): Promise<Account[]> {
  try {
    return await platform.list('/accounts', accountSchema);
  } catch (cause) {
    // Cloudflare answers an invalid token with one of these status codes, before it checks permissions.
    if (cause instanceof PlatformFailure && [400, 401, 403].includes(cause.status)) {
      throw new DeployFailure(`Cloudflare rejects the token.\n${cause.message}`);
    }
    throw cause;
  }
}
