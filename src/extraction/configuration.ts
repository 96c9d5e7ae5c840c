import { z } from 'zod';
import { checkSchema, validateSchema } from '#src/json-schema/rules.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { describesFields } from '#src/lib/schema/secret-schema.ts';
import { targetPages } from '#src/lib/text/target-pages.ts';
import { PARSE_TIERS } from '#src/parse/versions.ts';

export const EXTRACTION_TARGETS = ['per_doc', 'per_page', 'per_table_row'] as const;
export type ExtractionTarget = (typeof EXTRACTION_TARGETS)[number];

export const EXTRACT_TIERS = ['cost_effective', 'agentic'] as const;
export type ExtractTier = (typeof EXTRACT_TIERS)[number];

export const CREDITS_PER_PAGE = { cost_effective: 5, agentic: 15 } as const satisfies Record<
  ExtractTier,
  number
>;

/**
 * JSON Schema of the data to extract, according to the rules of `checkSchema`. The validation has no
 * transform, so that OpenAPI can describe it.
 */
export const dataSchema = describesFields(
  z.record(z.string(), z.unknown()).superRefine((input, context) => {
    const check = checkSchema(input);
    if (check.ok) return;
    for (const found of check.issues) {
      context.addIssue({ code: 'custom', path: found.loc, message: found.msg, params: { rule: found.type } });
    }
  }),
);

/** Version of the extraction: `latest`, or a date that selects the last release up to that day. */
const version = z.union([z.literal('latest'), z.iso.date()], {
  error: 'must be "latest" or a date like "2026-10-01"',
});

/** Maximum length in characters of a system prompt. */
export const MAX_SYSTEM_PROMPT = 100_000;

const configurationFields = {
  cite_sources: z.boolean().nullish(),
  confidence_scores: z.boolean().nullish(),
  extraction_target: z.enum(EXTRACTION_TARGETS).nullish(),
  max_pages: z.int().min(1).nullish(),
  parse_config_id: z.string().nullish(),
  parse_tier: withoutEffect(
    z
      .string()
      .nullish()
      .describe(
        'How pages without a text layer are read. `fast` does not read them, and `agentic` reads them at a higher resolution.',
      ),
    (tier) =>
      PARSE_TIERS.some((known) => known === tier)
        ? undefined
        : 'There is no tier with this name. Pages are read at the usual resolution.',
  ),
  system_prompt: z.string().max(MAX_SYSTEM_PROMPT).nullish(),
  target_pages: targetPages.nullish(),
  tier: z.enum(EXTRACT_TIERS).nullish(),
  version: version.nullish(),
};

/** Extract configuration as callers send it. */
export const extractConfiguration = z.object({ data_schema: dataSchema, ...configurationFields });
/** Extract configuration as jobs store it. Earlier releases accepted system prompts of any length. */
export const storedExtractConfiguration = extractConfiguration.extend({
  system_prompt: z.string().nullish(),
});
export type ExtractConfiguration = z.infer<typeof extractConfiguration>;

/**
 * Replaces missing and null settings by their defaults and normalizes the schema. `parse_tier` defaults to
 * the extraction tier. Throws `Invalid` if the schema breaks a rule.
 */
export function applyExtractDefaults(configuration: ExtractConfiguration) {
  const tier = configuration.tier ?? 'cost_effective';
  return {
    ...configuration,
    data_schema: validateSchema(configuration.data_schema, ['configuration', 'data_schema']),
    tier,
    cite_sources: configuration.cite_sources ?? false,
    confidence_scores: configuration.confidence_scores ?? false,
    extraction_target: configuration.extraction_target ?? 'per_doc',
    parse_tier: configuration.parse_tier ?? tier,
    version: configuration.version ?? 'latest',
  };
}
