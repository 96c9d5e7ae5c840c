import { LANGUAGE_CODES } from './parameters/ocr.ts';
import type { ParseParameters } from './parameters/parameters.ts';

/** How thoroughly pages without a text layer are read. Other tiers, `cost_effective` among them, read as usual. */
const OF_TIER: Record<string, ParseParameters> = {
  fast: { disable_ocr: true },
  agentic: { high_res_ocr: true },
  agentic_plus: { high_res_ocr: true },
};

type Language = (typeof LANGUAGE_CODES)[number];

/** ISO 639-1 codes that parse parameters call otherwise. */
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
 * What the pages are written in, an ISO 639-1 code. English is what nobody has to say, and leaves the parse that of
 * everybody else; so does a language that no parse parameter names.
 */
export function parsingOfLanguage(language: string | null | undefined): ParseParameters {
  if (!language || language === 'en') return {};
  const known = LANGUAGE_CODES.find((code) => code === language);
  const languages = known ? [known] : CALLED_OTHERWISE[language];
  return languages ? { languages } : {};
}

/** The ISO 639-1 code of a language that a parse parameter names; undefined where there is none. */
export function isoLanguageOf(code: string): string | undefined {
  if (/^[a-z]{2}$/.test(code)) return code;
  return Object.entries(CALLED_OTHERWISE).find(([, codes]) => codes.some((each) => each === code))?.[0];
}
