import { useSyncExternalStore } from 'react';
import { setFormatTag } from './formatters.ts';
import {
  chooseFormatTag,
  chooseLanguage,
  isLanguageCode,
  LANGUAGES,
  type LanguageCode,
} from './languages.ts';
import { type Catalog, setCatalog } from './messages.ts';

const KEY = 'sluice-language';
/** Milliseconds that the first page waits for its catalog before it is shown in English. */
const START_PATIENCE_MS = 5_000;

const catalogs = import.meta.glob<Catalog>('./catalogs/*.json', { import: 'default' });

let current: LanguageCode = 'en';
/** Language that the user chose last. A catalog that arrives after another choice is ignored. */
let wanted: LanguageCode = 'en';
const listeners = new Set<() => void>();

const loadCatalog = async (code: LanguageCode): Promise<Catalog> =>
  code === 'en' ? {} : catalogs[`./catalogs/${code}.json`]!();

function applyLanguage(code: LanguageCode, catalog: Catalog): void {
  current = code;
  setCatalog(catalog);
  setFormatTag(chooseFormatTag(code, navigator.languages));
  document.documentElement.lang = LANGUAGES[code].tag;
  document.documentElement.dir = LANGUAGES[code].dir;
  for (const listener of listeners) listener();
}

/**
 * Loads the language that the user chose earlier, or else the first language of the browser that the console
 * has. Resolves when the page can be shown. If the catalog cannot be loaded, the page is shown in English.
 */
export async function startLanguage(): Promise<void> {
  const stored = localStorage.getItem(KEY);
  wanted = isLanguageCode(stored) ? stored : chooseLanguage(navigator.languages);
  const code = wanted;
  const loading = loadCatalog(code).then(
    (catalog) => {
      if (wanted === code) applyLanguage(code, catalog);
    },
    () => {
      if (wanted === code) applyLanguage('en', {});
    },
  );
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, START_PATIENCE_MS))]);
}

/**
 * Changes the language and stores the choice in this browser. Rejects if the catalog cannot be loaded. The
 * language then stays as it is.
 */
export async function changeLanguage(code: LanguageCode): Promise<void> {
  wanted = code;
  const catalog = await loadCatalog(code);
  if (wanted !== code) return;
  localStorage.setItem(KEY, code);
  applyLanguage(code, catalog);
}

/**
 * Returns the current language and renders the component again when the language changes. The root component
 * calls this for the whole page. Components in `memo` have to call it themselves.
 */
export function useLanguage(): LanguageCode {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
