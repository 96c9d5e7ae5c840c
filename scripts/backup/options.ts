import { parseArgs } from 'node:util';
import { UsageError } from '../import/failures.ts';

export const BACKUP_USAGE = `npm run backup -- <directory> [--project <id>]

Writes a backup of the installation, or of one project, into a directory. After an interruption, run the command again
with the same directory and BACKUP_KEY to continue.

  --project <id>   backs up only this project

Environment:
  BASE_URL         address of the service (the local service)
  SLUICE_API_KEY   bootstrap key of the service (the key in .dev.vars)
  BACKUP_KEY       key that encrypts the secrets in the backup. Without it, a new key is created and printed once
`;

export const RESTORE_USAGE = `npm run restore -- <directory> [options]

Restores a backup into an empty installation, or a project into an installation without it. After an interruption, run
the command again to continue.

  --organization <id>   organization of the restored project (the organization of the API key)
  --hold                cancels jobs that were open and starts no schedules, to test a restore next to the original
  --check               only compares the directory with its hashes
  --no-wait             does not wait until the indexes are built

Environment:
  BASE_URL              address of the service (the local service)
  SLUICE_API_KEY        bootstrap key of the service (the key in .dev.vars)
  BACKUP_KEY            key of the backup
`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface BackupOptions {
  directory: string;
  project: string | null;
}

export interface RestoreOptions {
  directory: string;
  organization: string | null;
  hold: boolean;
  check: boolean;
  wait: boolean;
}

/**
 * Reads the command line of a backup command. Returns `undefined` if the operator asked only for the help
 * text.
 */
export function readBackupOptions(args: string[]): BackupOptions | undefined {
  const { values, positionals } = parseOptions(args, {
    project: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return undefined;
  return { directory: requireDirectory(positionals), project: parseUuid('project', values.project) };
}

export function readRestoreOptions(args: string[]): RestoreOptions | undefined {
  const { values, positionals } = parseOptions(args, {
    organization: { type: 'string' },
    hold: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    'no-wait': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return undefined;
  return {
    directory: requireDirectory(positionals),
    organization: parseUuid('organization', values.organization),
    hold: values.hold === true,
    check: values.check === true,
    wait: values['no-wait'] !== true,
  };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function parseOptions(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause));
  }
}

function requireDirectory(positionals: string[]): string {
  if (positionals.length !== 1) throw new UsageError('Name exactly one directory for the backup.');
  return positionals[0]!;
}

function parseUuid(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  const id = String(value).toLowerCase();
  if (!UUID.test(id)) throw new UsageError(`--${name} must be an id (a UUID).`);
  return id;
}
