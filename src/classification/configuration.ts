import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { targetPages } from '#src/lib/text/target-pages.ts';
import { parsingOfLanguage } from '#src/parse/tier-parameters.ts';

/** A document type and the words that say when a document is of it. */
export const classifyRule = z.object({
  type: z.string().min(1).max(50),
  description: z.string().min(10).max(2000),
});
export type ClassifyRule = z.infer<typeof classifyRule>;

/** Rules of a job. Each of them is compared with each document. */
export const MOST_RULES = 500;

export const classifyRules = z
  .array(classifyRule)
  .min(1)
  .max(MOST_RULES)
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [index, rule] of rules.entries()) {
      if (seen.has(rule.type)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'type'],
          message: `"${rule.type}" is the type of another rule; types are unique`,
        });
      }
      seen.add(rule.type);
    }
  });

export const classifyParsingConfiguration = z.object({
  lang: withoutEffect(
    z
      .string()
      .regex(/^[a-z]{2}$/, 'must be an ISO 639-1 code like "en"')
      .nullish()
      .describe('ISO 639-1; what pages without a text layer are written in.'),
    (lang) =>
      lang === 'en' || parsingOfLanguage(String(lang)).languages
        ? undefined
        : 'Parsing names no such language: the OCR engine is left to find out.',
  ),
  max_pages: z.int().min(1).nullish(),
  target_pages: targetPages.nullish(),
});

export const classifyConfiguration = z.object({
  rules: classifyRules,
  mode: z.literal('FAST').nullish(),
  parsing_configuration: classifyParsingConfiguration.nullish(),
});
export type ClassifyConfiguration = z.infer<typeof classifyConfiguration>;

/** Every field with the value it means when it is left out or null. */
export function withClassifyDefaults(configuration: ClassifyConfiguration) {
  const parsing = configuration.parsing_configuration;
  return {
    ...configuration,
    mode: configuration.mode ?? ('FAST' as const),
    parsing_configuration: { ...parsing, lang: parsing?.lang ?? 'en' },
  };
}
