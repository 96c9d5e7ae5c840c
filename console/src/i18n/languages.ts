/** Languages of the console. The code names the catalog, and the tag goes into the page's `lang` attribute. */
export const LANGUAGES = {
  en: { tag: 'en', name: 'English', dir: 'ltr' },
  de: { tag: 'de', name: 'Deutsch', dir: 'ltr' },
  fr: { tag: 'fr', name: 'Français', dir: 'ltr' },
  es: { tag: 'es', name: 'Español', dir: 'ltr' },
  ja: { tag: 'ja', name: '日本語', dir: 'ltr' },
  zh: { tag: 'zh-Hans', name: '简体中文', dir: 'ltr' },
} as const satisfies Record<string, { tag: string; name: string; dir: 'ltr' | 'rtl' }>;

export type LanguageCode = keyof typeof LANGUAGES;

export const isLanguageCode = (code: string | null): code is LanguageCode =>
  code !== null && Object.hasOwn(LANGUAGES, code);

/**
 * Chooses the first of a browser's preferred languages that the console has. Returns English if it has none of
 * them.
 */
export function chooseLanguage(preferred: readonly string[]): LanguageCode {
  for (const tag of preferred) {
    const code = findLanguage(tag);
    if (code) return code;
  }
  return 'en';
}

/**
 * Returns the tag whose rules format numbers and dates: the first preferred tag of the language, which may name
 * a region, or else the tag of the language itself.
 */
export function chooseFormatTag(code: LanguageCode, preferred: readonly string[]): string {
  // English pages always format as American English does, which the default tag stands for.
  if (code === 'en') return 'en';
  return preferred.find((tag) => findLanguage(tag) === code) ?? LANGUAGES[code].tag;
}

/** Returns the language of a tag such as `de-AT`. Traditional Chinese has no catalog. */
function findLanguage(tag: string): LanguageCode | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    if (language === 'zh' && script !== 'Hans') return undefined;
    return isLanguageCode(language) ? language : undefined;
  } catch {
    return undefined;
  }
}
