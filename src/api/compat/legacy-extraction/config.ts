import { z } from 'zod';
import { type ExtractConfiguration, MAX_SYSTEM_PROMPT } from '#src/extraction/configuration.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { targetPages } from '#src/lib/text/target-pages.ts';

const TARGETS = { PER_DOC: 'per_doc', PER_PAGE: 'per_page', PER_TABLE_ROW: 'per_table_row' } as const;
type Target = keyof typeof TARGETS;

/**
 * Extraction tier and parse tier of each extraction mode. `FAST` sets no parse tier, because the default is
 * the cheapest one.
 */
const MODES = {
  FAST: { tier: 'cost_effective', parse_tier: null },
  BALANCED: { tier: 'cost_effective', parse_tier: 'cost_effective' },
  MULTIMODAL: { tier: 'agentic', parse_tier: 'agentic' },
  PREMIUM: { tier: 'agentic', parse_tier: 'agentic_plus' },
} as const satisfies Record<string, Pick<ExtractConfiguration, 'tier' | 'parse_tier'>>;
type Mode = keyof typeof MODES;

const names = <Table extends object>(table: Table) => z.enum(Object.keys(table) as [keyof Table & string]);

export const priority = withoutEffect(
  z.enum(['low', 'medium', 'high', 'critical']).nullish(),
  'Jobs are taken up in the order in which they come.',
);

const ownModel = (what: string) =>
  withoutEffect(z.string().nullish(), `The installation's own model, or none, ${what}.`);

/**
 * Configuration of extraction agents and jobs in the clients' format. A missing field and null have the same
 * meaning.
 */
export const extractConfig = z
  .object({
    extraction_mode: names(MODES).nullish().describe('By default `PREMIUM`.'),
    extraction_target: names(TARGETS).nullish().describe('By default `PER_DOC`.'),
    system_prompt: z.string().max(MAX_SYSTEM_PROMPT).nullish(),
    page_range: targetPages.nullish().describe('1-based pages and ranges, such as `1,3-5`.'),
    cite_sources: z.boolean().nullish(),
    citation_bbox: z
      .boolean()
      .nullish()
      .describe('Asks for citations. Citations always contain bounding boxes.'),
    confidence_scores: z.boolean().nullish(),
    high_resolution_mode: z
      .boolean()
      .nullish()
      .describe('Pages without a text layer are read at a higher resolution.'),
    use_reasoning: withoutEffect(
      z.boolean().nullish(),
      'Reasons stand in the metadata of fields where sources or confidences are asked for.',
    ),
    chunk_mode: withoutEffect(z.enum(['PAGE', 'SECTION']).nullish(), (mode) =>
      mode === 'SECTION' ? 'Documents are read by pages.' : undefined,
    ),
    num_pages_context: withoutEffect(
      z.int().min(1).nullish(),
      'How many pages are read together follows from their length.',
    ),
    invalidate_cache: withoutEffect(
      z.boolean().nullish(),
      'Nothing but the parse of a file is kept, and the same bytes are parsed the same.',
    ),
    multimodal_fast_mode: withoutEffect(z.boolean().nullish(), 'There is one mode of this kind.'),
    parse_model: ownModel('parses'),
    extract_model: ownModel('extracts'),
    priority,
  })
  .meta({ id: 'ExtractConfig' });
export type ExtractConfig = z.output<typeof extractConfig>;

type Settings = Omit<ExtractConfiguration, 'data_schema'>;

export function toSettings(config: ExtractConfig): Settings {
  const mode = MODES[config.extraction_mode ?? 'PREMIUM'];
  const isFiner = config.high_resolution_mode && mode.tier === 'cost_effective';
  return {
    ...mode,
    ...(isFiner && { parse_tier: 'agentic' }),
    extraction_target: TARGETS[config.extraction_target ?? 'PER_DOC'],
    system_prompt: config.system_prompt ?? null,
    target_pages: config.page_range ?? null,
    cite_sources: Boolean(config.cite_sources || config.citation_bbox),
    confidence_scores: config.confidence_scores ?? false,
  };
}

/** Converts extraction settings to the clients' format. Saving the returned value again changes nothing. */
export function presentConfig(settings: Settings): z.input<typeof extractConfig> {
  const target = settings.extraction_target ?? 'per_doc';
  const found = Object.entries(TARGETS).find(([, ours]) => ours === target);
  return {
    extraction_mode: findMode(settings),
    extraction_target: found![0] as Target,
    system_prompt: settings.system_prompt ?? null,
    page_range: settings.target_pages ?? null,
    cite_sources: settings.cite_sources ?? false,
    citation_bbox: settings.cite_sources ?? false,
    confidence_scores: settings.confidence_scores ?? false,
    high_resolution_mode: settings.tier !== 'agentic' && /^agentic/.test(settings.parse_tier ?? ''),
    chunk_mode: 'PAGE',
  };
}

function findMode({ tier, parse_tier }: Settings): Mode {
  if (tier === 'agentic') return parse_tier === 'agentic_plus' ? 'PREMIUM' : 'MULTIMODAL';
  return parse_tier ? 'BALANCED' : 'FAST';
}
