import { BadRequest } from '#src/errors.ts';

export interface Release {
  /** YYYY-MM-DD. */
  version: string;
  change: string;
}

/** Every change of what an extract job answers for the same input: a row each, oldest first. */
export const EXTRACT_RELEASES: readonly [Release, ...Release[]] = [
  { version: '2026-01-01', change: 'Built-in and model extraction with verified citations.' },
];

/** Every change of what the parser reads in the same file: a row each, oldest first. All tiers are read by one parser. */
const PARSE_RELEASES: readonly [Release, ...Release[]] = [
  {
    version: '2026-01-01',
    change: 'Text, tables and layout of every format; pages without a text layer by OCR.',
  },
];

export const PARSE_TIERS = ['agentic', 'agentic_plus', 'cost_effective', 'fast'] as const;
export type ParseTier = (typeof PARSE_TIERS)[number];

/** The versions of the parser, by tier, oldest first, and the latest of each tier. */
export function parseVersions(): Record<ParseTier, string[]> & { latest: Record<ParseTier, string> } {
  const versions = PARSE_RELEASES.map(({ version }) => version);
  const ofTiers = <Value>(value: Value) =>
    Object.fromEntries(PARSE_TIERS.map((tier) => [tier, value])) as Record<ParseTier, Value>;
  return { ...ofTiers(versions), latest: ofTiers(versions.at(-1)!) };
}

/** The concrete release: `latest`, or the nearest one at or before a date. */
export function resolveRelease(version: string): string {
  const releases = EXTRACT_RELEASES;
  const found =
    version === 'latest' ? releases.at(-1) : releases.findLast((release) => release.version <= version);
  if (found) return found.version;
  throw new BadRequest(
    `inputs_invalid: version ${version} is before the first release, ${releases[0].version}`,
  );
}
