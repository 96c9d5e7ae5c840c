import { LANGUAGE_CODES } from './parameters/ocr.ts';
import type { ParseParameters } from './parameters/parameters.ts';

/** Parameters of each tier. Tiers without an entry use the defaults. */
const OF_TIER: Record<string, ParseParameters> = {
  fast: { disable_ocr: true },
  agentic: { high_res_ocr: true },
  agentic_plus: { high_res_ocr: true },
};

type Language = (typeof LANGUAGE_CODES)[number];

/** ISO 639-1 codes for which parse parameters use other codes. */
const CALLED_OTHERWISE: Record<string, Language[]> = {
  av: ['ava'],
  ce: ['che'],
  nb: ['no'],
  nn: ['no'],
  sr: ['rs_cyrillic', 'rs_latin'],
  tg: ['tjk'],
  zh: ['ch_sim', 'ch_tra'],
};

export function parsingOfTier(tier: string | null | undefined): ParseParameters {
  return (tier && Object.hasOwn(OF_TIER, tier) && OF_TIER[tier]) || {};
}

/**
 * Returns the parse parameters for a language (ISO 639-1). English, and languages without a parameter, return
 * none, so that the parse is shared.
 */
export function parsingOfLanguage(language: string | null | undefined): ParseParameters {
  if (!language || language === 'en') return {};
  const known = LANGUAGE_CODES.find((code) => code === language);
  const languages = known ? [known] : CALLED_OTHERWISE[language];
  return languages ? { languages } : {};
}

/** Returns the ISO 639-1 code for a language code of the parse parameters; undefined if there is none. */
export function isoLanguageOf(code: string): string | undefined {
  if (/^[a-z]{2}$/.test(code)) return code;
  return Object.entries(CALLED_OTHERWISE).find(([, codes]) => codes.some((each) => each === code))?.[0];
}
