interface Release {
  /** Release date as YYYY-MM-DD. */
  version: string;
  change: string;
}

/**
 * Parser releases that changed the result of parsing, from oldest to newest. All tiers use the same parser.
 */
const PARSE_RELEASES: readonly [Release, ...Release[]] = [
  {
    version: '2026-01-01',
    change: 'Text, tables and layout of every format; pages without a text layer by OCR.',
  },
  {
    version: '2026-11-28',
    change:
      'Formulas as LaTeX; subscripts and superscripts; charts and comments of office files; structure of PDF pages; confidence of OCR; XML vocabularies, LaTeX and light markup.',
  },
  {
    version: '2026-11-29',
    change:
      'Footnotes of PDF; one level for each style of headings; layout of scanned pages; more encodings.',
  },
];

export const PARSE_TIERS = ['agentic', 'agentic_plus', 'cost_effective', 'fast'] as const;
export type ParseTier = (typeof PARSE_TIERS)[number];

/** Returns the parser versions by tier, from oldest to newest, and the latest version of each tier. */
export function parseVersions(): Record<ParseTier, string[]> & { latest: Record<ParseTier, string> } {
  const versions = PARSE_RELEASES.map(({ version }) => version);
  const mapTiers = <Value>(value: Value) =>
    Object.fromEntries(PARSE_TIERS.map((tier) => [tier, value])) as Record<ParseTier, Value>;
  return { ...mapTiers(versions), latest: mapTiers(versions.at(-1)!) };
}

/** Returns the accepted values of the parse parameter `version`. */
export const versionNames = (): string[] => ['latest', ...PARSE_RELEASES.map(({ version }) => version)];

/**
 * Returns the parser version for these parameters: the named one, or the latest one at the time of parsing.
 * Results that were parsed before a release keep their version.
 */
export function resolveVersion(
  parameters: { version?: string | null | undefined },
  parsedAt: Date = new Date(),
): string {
  const named = PARSE_RELEASES.find(({ version }) => version === parameters.version);
  const day = parsedAt.toISOString().slice(0, 10);
  return (named ?? PARSE_RELEASES.findLast(({ version }) => version <= day) ?? PARSE_RELEASES[0]).version;
}
