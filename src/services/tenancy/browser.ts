/** Browsers by a word in the `User-Agent` header. Browsers that also name another one come first. */
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\bWindows\b/, 'Windows'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** Maximum number of characters of a `User-Agent` header that are read. */
const MAX_CHARACTERS = 500;

/**
 * Returns a coarse description of a browser, such as `Firefox on Linux`, from its `User-Agent` header. Versions and
 * devices are left out, so that the description identifies nobody. Returns null if the browser is unknown.
 */
export function describeBrowser(userAgent: string | null): string | null {
  const text = (userAgent ?? '').slice(0, MAX_CHARACTERS);
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  return browser ? (system ? `${browser} on ${system}` : browser) : null;
}
