import { cyrillic } from './cyrillic.ts';
import type { LanguageDefinition } from './define.ts';
import { latin } from './latin.ts';
import { ownScript } from './own-script.ts';

/**
 * Every language that has a definition, by its ISO 639-1 code. A stemmer and stop words for search are optional and
 * are listed in `src/search/languages.ts`, because the parser Worker detects languages and needs no stemmers.
 */
export const languages: Readonly<Record<string, LanguageDefinition>> = {
  ...latin,
  ...cyrillic,
  ...ownScript,
};

/** Whether a language is recognised by its script or by letters that only it has, and not by its words. */
export const hasOwnScript = (code: string): boolean => languages[code]?.commonWords === undefined;

export const isCyrillic = (code: string): boolean => code in cyrillic;

/** Returns the commonest words of a language, or none for a language that its script shows. */
export const getCommonWords = (code: string): string[] => languages[code]?.commonWords?.split(' ') ?? [];
