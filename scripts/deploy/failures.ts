/** What ends a deployment and is no fault of its code; its message is all that is shown. */
export class DeployFailure extends Error {}

/** What the platform's own codes mean for whoever deploys; the rest speaks for itself. */
const BY_CODE: Record<number, string> = {
  10042:
    'The account has no R2 yet: switch it on in the dashboard (Storage, R2), which asks for a card, and run this again.',
  10097: 'The account’s plan has no Durable Objects of this kind. Sluice needs the plan Workers Paid.',
  100129: 'The account’s plan has no queues. Sluice needs the plan Workers Paid.',
  100328:
    'The account’s plan has no CPU limits to set. Sluice needs the plan Workers Paid: parsing takes minutes of CPU.',
};

/** Which permission of a token a path of the platform's API asks for, the first that fits. */
const PERMISSIONS: readonly (readonly [RegExp, string])[] = [
  [/\/d1\//, 'Account, D1, Edit'],
  [/\/r2\//, 'Account, Workers R2 Storage, Edit'],
  [/\/queues/, 'Account, Queues, Edit'],
  [/\/vectorize\//, 'Account, Vectorize, Edit'],
  [/\/workers\/domains|^\/zones/, 'Zone, Workers Routes, Edit and Zone, Zone, Read'],
  [/\/workers\//, 'Account, Workers Scripts, Edit'],
  [/^\/accounts\b/, 'Account, Account Settings, Read'],
];

export const permissionFor = (path: string): string | undefined =>
  PERMISSIONS.find(([pattern]) => pattern.test(path))?.[1];

/** An answer of the platform's API that is not what was asked for. */
export class PlatformFailure extends DeployFailure {
  readonly status: number;
  /** The platform's number of its first error; 0 where it gave none. */
  readonly code: number;

  constructor(call: string, path: string, status: number, code: number, said: string) {
    const refused = status === 401 || status === 403;
    const permission = refused && !BY_CODE[code] ? permissionFor(path) : undefined;
    super(
      [
        `The platform answered ${status} to ${call}: ${said}${code === 0 ? '' : ` (code ${code})`}`,
        permission && `The token is wrong, is for another account, or lacks the permission "${permission}".`,
        BY_CODE[code],
      ]
        .filter(Boolean)
        .join('\n'),
    );
    this.status = status;
    this.code = code;
  }
}

/** What wrangler printed when it failed, with what its codes and paths mean. */
export function wranglerFailure(what: string, output: string): DeployFailure {
  const codes = [...output.matchAll(/\[code: (\d{1,9})\]/g)].map(([, code]) => Number(code));
  const path = /Cloudflare API \(([^)\s]{1,300})\) failed/.exec(output)?.[1];
  const refused = codes.some((code) => code === 10000 || code === 9109);
  const permission = refused && path ? permissionFor(path) : undefined;
  const advice = codes.flatMap((code) => BY_CODE[code] ?? []);
  const lines = [`${what} failed. Wrangler says:`, output.trim()];
  if (permission) lines.push(`The token lacks the permission "${permission}".`);
  return new DeployFailure([...lines, ...new Set(advice)].join('\n'));
}
