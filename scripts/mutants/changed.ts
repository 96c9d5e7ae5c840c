import { execFileSync } from 'node:child_process';

/** References to the default branch of the remote. The first one with commits of its own is used. */
const DEFAULT_BRANCHES = ['origin/HEAD', 'origin/main'];
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface ChangedFiles {
  /** Commit with which the working tree was compared. */
  base: string;
  /** Paths of changed and untracked files, relative to the working directory. */
  files: string[];
}

/**
 * Lists the files that differ from the base commit. This is the commit at which the current branch left the
 * default branch, or the parent commit on the default branch itself. Returns `undefined` if there is no such
 * commit: outside of a git repository, in a shallow clone and at the first commit.
 */
export function findChangedFiles(): ChangedFiles | undefined {
  const base = findBase();
  if (!base) return undefined;
  const changed = git('diff', '--name-only', '--relative', '-z', base) ?? '';
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z') ?? '';
  const files = `${changed}\0${untracked}`.split('\0').filter((file) => file !== '');
  return { base, files: [...new Set(files)] };
}

function findBase(): string | undefined {
  if (git('rev-parse', '--is-shallow-repository') !== 'false') return undefined;
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD');
  const bases = DEFAULT_BRANCHES.map((branch) => git('merge-base', 'HEAD', branch));
  return bases.find((base) => base && base !== head) ?? git('rev-parse', '--verify', '--quiet', 'HEAD~1');
}

/** Returns the output of a git command, or `undefined` if the command fails or git is not installed. */
function git(...command: string[]): string | undefined {
  try {
    return execFileSync('git', command, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: MAX_OUTPUT_BYTES,
    }).trim();
  } catch {
    return undefined;
  }
}
