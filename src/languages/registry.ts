import { cyrillicLanguages } from './cyrillic.ts';
import type { LanguageDefinition } from './define.ts';
import { latinLanguages } from './latin.ts';
import { ownScriptLanguages } from './own-script.ts';

/**
 * All defined languages by ISO 639-1 code. Stemmers and stop words for search are listed separately in
 * `src/search/languages.ts`, because the parser Worker detects languages without needing them.
 */
export const languages: Readonly<Record<string, LanguageDefinition>> = {
  ...latinLanguages,
  ...cyrillicLanguages,
  ...ownScriptLanguages,
};

/** Returns whether a language is recognized by its script or its own letters instead of common words. */
export const hasOwnScript = (code: string): boolean => languages[code]?.commonWords === undefined;

export const isCyrillic = (code: string): boolean => code in cyrillicLanguages;

/**
 * Returns the most common words of a language. Returns an empty list for a language that is recognized by its
 * script.
 */
export const getCommonWords = (code: string): string[] => languages[code]?.commonWords?.split(' ') ?? [];
