import { compilePattern } from '#src/lib/text/pattern.ts';

interface Wishes {
  required_exts?: string[] | null | undefined;
  include_path_patterns?: string[] | null | undefined;
  exclude_path_patterns?: string[] | null | undefined;
}

/** Maximum length of a path that is matched, in characters. Microsoft limits paths to 400 characters. */
const LONGEST = 10_000;

/**
 * Creates a filter that tells whether the settings include the file at a path. Paths are relative to the root
 * of the drive.
 */
export function wantedFiles(wishes: Wishes): (path: string) => boolean {
  const endings = (wishes.required_exts ?? [])
    .map((given) => given.trim().replace(/^\./, '').toLowerCase())
    .filter((ending) => ending !== '')
    .map((ending) => `.${ending}`);
  const include = matcherOf(wishes.include_path_patterns);
  const exclude = matcherOf(wishes.exclude_path_patterns);
  return (path) => {
    const name = path.toLowerCase();
    return (
      (endings.length === 0 || endings.some((ending) => name.endsWith(ending))) &&
      (include?.(path) ?? true) &&
      !exclude?.(path)
    );
  };
}

/**
 * Creates a matcher for path patterns. Patterns may be written with or without a leading slash. Returns
 * `undefined` without patterns.
 */
function matcherOf(sources: string[] | null | undefined): ((path: string) => boolean) | undefined {
  if (!sources || sources.length === 0) return undefined;
  const patterns = sources.map(compilePattern);
  return (path) => {
    const bare = path.slice(0, LONGEST - 1);
    return patterns.some((pattern) => pattern.test(bare) || pattern.test(`/${bare}`));
  };
}
