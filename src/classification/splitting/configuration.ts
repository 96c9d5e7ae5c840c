import { z } from 'zod';
import { targetPages } from '#src/lib/text/target-pages.ts';

/** Name of the segments whose pages fit no category. */
export const UNCATEGORIZED = 'uncategorized';

/** Maximum number of categories per split job. Every category is compared with every page. */
const MAX_CATEGORIES = 50;

/** Part of a document: its name, and a description of the pages that belong to it. */
export const splitCategory = z.object({
  name: z.string().trim().min(1).max(200),
  description: z.string().max(2000).nullish().describe('What the pages of this category contain.'),
});
export type SplitCategory = z.infer<typeof splitCategory>;

export const splitCategories = z
  .array(splitCategory)
  .min(1)
  .max(MAX_CATEGORIES)
  .superRefine((categories, context) => {
    const seen = new Set<string>([UNCATEGORIZED]);
    for (const [index, { name }] of categories.entries()) {
      if (seen.has(name)) {
        const message =
          name === UNCATEGORIZED
            ? `The name "${UNCATEGORIZED}" is reserved for pages that fit no category.`
            : `Another category already has the name "${name}". Names must be unique.`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
      seen.add(name);
    }
  });

export const UNCATEGORIZED_MODES = ['include', 'forbid', 'omit'] as const;

export const splittingStrategy = z.object({
  allow_uncategorized: z
    .enum(UNCATEGORIZED_MODES)
    .nullish()
    .describe(
      '`include` (default): pages that fit no category form segments named `uncategorized`. `omit`: these ' +
        'pages are left out of the result. `forbid`: every page belongs to a category.',
    ),
  min_pages_per_split: z
    .int()
    .min(1)
    .max(1000)
    .nullish()
    .describe('Segments with fewer pages are joined with a neighbouring segment. Default: 1.'),
  custom_instructions: z
    .string()
    .max(5000)
    .nullish()
    .describe(
      'Instructions for the language model on where segments begin. Without a model they have no effect.',
    ),
});

export const splitConfiguration = z.object({
  categories: splitCategories,
  splitting_strategy: splittingStrategy.nullish(),
  target_pages: targetPages.nullish().describe('Pages to split, such as `1-20`. Default: all pages.'),
});
export type SplitConfiguration = z.infer<typeof splitConfiguration>;

/** Returns the configuration with default values for omitted fields and for fields that are null. */
export function applySplitDefaults(configuration: SplitConfiguration) {
  const { allow_uncategorized, min_pages_per_split, custom_instructions } =
    configuration.splitting_strategy ?? {};
  return {
    ...configuration,
    splitting_strategy: {
      allow_uncategorized: allow_uncategorized ?? ('include' as const),
      min_pages_per_split: min_pages_per_split ?? 1,
      custom_instructions: custom_instructions ?? null,
    },
  };
}
export type AppliedSplitConfiguration = ReturnType<typeof applySplitDefaults>;
