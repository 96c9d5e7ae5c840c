import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { targetPages } from '#src/lib/text/target-pages.ts';
import { getLanguageParameters } from '#src/parse/tier-parameters.ts';

/** Rule of a classify job: a document type, and a description of the documents of this type. */
export const classifyRule = z.object({
  type: z.string().min(1).max(50),
  description: z.string().min(10).max(2000),
});
export type ClassifyRule = z.infer<typeof classifyRule>;

/** Maximum number of rules per classify job. Every rule is compared with every document. */
export const MAX_RULES = 500;

export const classifyRules = z
  .array(classifyRule)
  .min(1)
  .max(MAX_RULES)
  .superRefine((rules, context) => {
    const seen = new Set<string>();
    for (const [index, rule] of rules.entries()) {
      if (seen.has(rule.type)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'type'],
          message: `Another rule already has the type "${rule.type}". Types must be unique.`,
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
      .describe('ISO 639-1 code of the language of pages without a text layer.'),
    (lang) =>
      lang === 'en' || getLanguageParameters(String(lang)).languages
        ? undefined
        : 'OCR cannot be set to this language, so the OCR engine detects the language itself.',
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

/** Returns the configuration with default values for omitted fields and for fields that are null. */
export function applyClassifyDefaults(configuration: ClassifyConfiguration) {
  const parsing = configuration.parsing_configuration;
  return {
    ...configuration,
    mode: configuration.mode ?? ('FAST' as const),
    parsing_configuration: { ...parsing, lang: parsing?.lang ?? 'en' },
  };
}
