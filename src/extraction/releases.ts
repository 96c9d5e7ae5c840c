import { BadRequest } from '#src/lib/errors.ts';

export interface Release {
  /** Release date as YYYY-MM-DD. */
  version: string;
  change: string;
}

/**
 * Releases of extraction, from oldest to newest. Each release changed the results for some unchanged inputs.
 */
export const EXTRACT_RELEASES: readonly [Release, ...Release[]] = [
  { version: '2026-01-01', change: 'Built-in and model extraction with verified citations.' },
];

/**
 * Returns the newest release for `latest`. For a date, returns the last release that was published on or
 * before the date.
 */
export function resolveRelease(version: string): string {
  const releases = EXTRACT_RELEASES;
  const found =
    version === 'latest' ? releases.at(-1) : releases.findLast((release) => release.version <= version);
  if (found) return found.version;
  throw new BadRequest(
    `inputs_invalid: version ${version} is before the first release, ${releases[0].version}`,
  );
}
