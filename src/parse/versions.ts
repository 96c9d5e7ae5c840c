interface Release {
  /** Release date as YYYY-MM-DD. */
  version: string;
  change: string;
}

/** Releases that changed what the parser reads, oldest first. One parser serves all tiers. */
const PARSE_RELEASES: readonly [Release, ...Release[]] = [
  {
    version: '2026-01-01',
    change: 'Text, tables and layout of every format; pages without a text layer by OCR.',
  },
];

export const PARSE_TIERS = ['agentic', 'agentic_plus', 'cost_effective', 'fast'] as const;
export type ParseTier = (typeof PARSE_TIERS)[number];

/** Returns the parser versions by tier, oldest first, and the latest of each tier. */
export function parseVersions(): Record<ParseTier, string[]> & { latest: Record<ParseTier, string> } {
  const versions = PARSE_RELEASES.map(({ version }) => version);
  const ofTiers = <Value>(value: Value) =>
    Object.fromEntries(PARSE_TIERS.map((tier) => [tier, value])) as Record<ParseTier, Value>;
  return { ...ofTiers(versions), latest: ofTiers(versions.at(-1)!) };
}

/** Returns the accepted values of `version`. */
export const versionNames = (): string[] => ['latest', ...PARSE_RELEASES.map(({ version }) => version)];

/** Returns the release for these parameters: the named one, otherwise the latest. */
export function versionOf(parameters: { version?: string | null | undefined }): string {
  const named = PARSE_RELEASES.find(({ version }) => version === parameters.version);
  return (named ?? PARSE_RELEASES.at(-1)!).version;
}
