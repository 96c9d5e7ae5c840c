import { LANGUAGE_CODES } from './parameters/ocr.ts';
import type { ParseParameters } from './parameters/parameters.ts';

/** Parse parameters of each tier. Tiers without an entry use the defaults. */
const PARAMETERS_BY_TIER: Record<string, ParseParameters> = {
  fast: { disable_ocr: true },
  agentic: { high_res_ocr: true },
  agentic_plus: { high_res_ocr: true },
};

type Language = (typeof LANGUAGE_CODES)[number];

/** ISO 639-1 codes whose language has a different code in the parse parameters. */
const LANGUAGE_ALIASES: Record<string, Language[]> = {
  av: ['ava'],
  ce: ['che'],
  nb: ['no'],
  nn: ['no'],
  sr: ['rs_cyrillic', 'rs_latin'],
  tg: ['tjk'],
  zh: ['ch_sim', 'ch_tra'],
};

export function getTierParameters(tier: string | null | undefined): ParseParameters {
  return (tier && Object.hasOwn(PARAMETERS_BY_TIER, tier) && PARAMETERS_BY_TIER[tier]) || {};
}

/**
 * Returns the parse parameters for a language (ISO 639-1). Returns none for English and unsupported
 * languages, so that their parse is shared.
 */
export function getLanguageParameters(language: string | null | undefined): ParseParameters {
  if (!language || language === 'en') return {};
  const known = LANGUAGE_CODES.find((code) => code === language);
  const languages = known ? [known] : LANGUAGE_ALIASES[language];
  return languages ? { languages } : {};
}

/**
 * Converts a language code of the parse parameters to ISO 639-1. Returns `undefined` if there is no such
 * code.
 */
export function toIsoLanguage(code: string): string | undefined {
  if (/^[a-z]{2}$/.test(code)) return code;
  return Object.entries(LANGUAGE_ALIASES).find(([, codes]) => codes.some((each) => each === code))?.[0];
}
