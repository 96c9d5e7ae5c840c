import { parseArgs } from 'node:util';
import { WrongUse } from '../import/failures.ts';

export const BACKUP_USAGE = `npm run backup -- <directory> [--project <id>]

Writes all that the installation holds, or one project of it, into a directory. Run again after an interruption it goes on.
Environment: BASE_URL and SLUICE_API_KEY (the bootstrap key; locally both are known), BACKUP_KEY (made and shown if absent).
`;

export const RESTORE_USAGE = `npm run restore -- <directory> [--organization <id>] [--hold] [--check] [--no-wait]

Puts a backup where nothing of it is. Run again after an interruption it goes on.
  --organization  where a project belongs from now on, if not where the key does
  --hold          cancels the jobs that were open and starts no schedules: for a drill beside the original
  --check         only holds the directory against its hashes
  --no-wait       does not wait for the indexes
Environment: BASE_URL, SLUICE_API_KEY, and the BACKUP_KEY that the backup was made with.
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

/** Undefined: help was asked for. */
export function backupOptions(args: string[]): BackupOptions | undefined {
  const { values, positionals } = read(args, {
    project: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return undefined;
  return { directory: directoryIn(positionals), project: uuidOf('project', values.project) };
}

export function restoreOptions(args: string[]): RestoreOptions | undefined {
  const { values, positionals } = read(args, {
    organization: { type: 'string' },
    hold: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    'no-wait': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help) return undefined;
  return {
    directory: directoryIn(positionals),
    organization: uuidOf('organization', values.organization),
    hold: values.hold === true,
    check: values.check === true,
    wait: values['no-wait'] !== true,
  };
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function read(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    throw new WrongUse(cause instanceof Error ? cause.message : String(cause));
  }
}

function directoryIn(positionals: string[]): string {
  if (positionals.length !== 1) throw new WrongUse('Name one directory for the backup.');
  return positionals[0]!;
}

function uuidOf(name: string, value: unknown): string | null {
  if (value === undefined) return null;
  const id = String(value).toLowerCase();
  if (!UUID.test(id)) throw new WrongUse(`--${name} must be an id.`);
  return id;
}
