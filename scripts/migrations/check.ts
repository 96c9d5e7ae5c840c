import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findChangedMigrations, LANDED, type LandedHashes, readMigrations } from './landed.ts';

// Fails if a migration listed in `landed.json` was changed. Installations that have applied the migration
// under its name would never apply the new text.

/**
 * Runs git and returns its output. Returns an empty text outside a clone, for example in an unpacked archive.
 */
function git(...args: string[]): string {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}

/** Returns the versions of `landed.json` in the history of the current branch. */
function readFormerHashes(): LandedHashes[] {
  const commits = git('log', '--format=%H', '--', LANDED).split('\n').filter(Boolean);
  const texts = commits.map((commit) => git('show', `${commit}:./${LANDED}`)).filter(Boolean);
  return texts.map((text) => JSON.parse(text) as LandedHashes);
}

const landed = JSON.parse(readFileSync(LANDED, 'utf8')) as LandedHashes;
const problems = findChangedMigrations(readMigrations(), landed, readFormerHashes());
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
