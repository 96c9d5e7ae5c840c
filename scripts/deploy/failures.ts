/** Expected failure of a deployment. Only its message is printed. */
export class DeployFailure extends Error {}

/** Advice for error codes of Cloudflare whose own messages are unclear. */
const BY_CODE: Record<number, string> = {
  10042:
    'R2 is not enabled for the account. Enable it in the Cloudflare dashboard (Storage, R2), which requires a payment card. Then run this command again.',
  10097:
    'The plan of the account does not include this kind of Durable Objects. Sluice needs the Workers Paid plan.',
  100129: 'The plan of the account does not include queues. Sluice needs the Workers Paid plan.',
  100328:
    'The plan of the account does not allow CPU limits to be set. Sluice needs the Workers Paid plan, because parsing takes minutes of CPU time.',
};

/** Token permission that each path of Cloudflare's API requires. The first matching pattern applies. */
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

/** Failure that Cloudflare's API reported. */
export class PlatformFailure extends DeployFailure {
  readonly status: number;
  /** Code of the first error in the response. 0 if the response has none. */
  readonly code: number;

  constructor(call: string, path: string, status: number, code: number, message: string) {
    const refused = status === 401 || status === 403;
    const permission = refused && !BY_CODE[code] ? permissionFor(path) : undefined;
    super(
      [
        `Cloudflare answered ${status} to ${call}: ${message}${code === 0 ? '' : ` (code ${code})`}`,
        permission &&
          `The token is invalid, belongs to another account, or lacks the permission "${permission}".`,
        BY_CODE[code],
      ]
        .filter(Boolean)
        .join('\n'),
    );
    this.status = status;
    this.code = code;
  }
}

/** Creates a failure from wrangler's output, with advice for its error codes and paths. */
export function wranglerFailure(what: string, output: string): DeployFailure {
  const codes = [...output.matchAll(/\[code: (\d{1,9})\]/g)].map(([, code]) => Number(code));
  const path = /Cloudflare API \(([^)\s]{1,300})\) failed/.exec(output)?.[1];
  const refused = codes.some((code) => code === 10000 || code === 9109);
  const permission = refused && path ? permissionFor(path) : undefined;
  const advice = codes.flatMap((code) => BY_CODE[code] ?? []);
  const lines = [`${what} failed. Output of wrangler:`, output.trim()];
  if (permission) lines.push(`The token lacks the permission "${permission}".`);
  return new DeployFailure([...lines, ...new Set(advice)].join('\n'));
}
