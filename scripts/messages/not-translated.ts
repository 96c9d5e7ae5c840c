/** Texts that are the same in every language, such as names of products, formats and code. */
export const NOT_TRANSLATED: ReadonlySet<string> = new Set([
  'AbortError',
  'ApiError',
  'Esc',
  'Escape',
  'Enter',
  'JSON',
  'JSON Lines',
  'Page {page_number}',
  'Python',
  'Sluice',
  'TypeScript',
  'array of',
  'created_at desc',
  'curl',
  'deletePipeline',
  'desc',
  'useSession must be used within SessionGate',
]);

/** Files without shown strings whose code looks like prose. */
export const NOT_SHOWN_FILES: ReadonlySet<string> = new Set([
  'console/src/api/samples.ts',
  'console/src/i18n/languages.ts',
  'console/src/screens/connections/products.ts',
]);
