import { compilePattern } from '#src/lib/text/pattern.ts';

interface PathFilterSettings {
  required_exts?: string[] | null | undefined;
  include_path_patterns?: string[] | null | undefined;
  exclude_path_patterns?: string[] | null | undefined;
}

/**
 * Maximum length in characters of a path that is compared with the patterns. Microsoft limits paths to 400
 * characters.
 */
const MAX_PATH_LENGTH = 10_000;

/**
 * Creates a filter that returns whether the settings include the file at a path. Paths are relative to the
 * root of the drive.
 */
export function createPathFilter(settings: PathFilterSettings): (path: string) => boolean {
  const endings = (settings.required_exts ?? [])
    .map((given) => given.trim().replace(/^\./, '').toLowerCase())
    .filter((ending) => ending !== '')
    .map((ending) => `.${ending}`);
  const include = createMatcher(settings.include_path_patterns);
  const exclude = createMatcher(settings.exclude_path_patterns);
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
 * Creates a function that compares a path with patterns. The patterns may begin with a slash or not. Returns
 * `undefined` if there are no patterns.
 */
function createMatcher(sources: string[] | null | undefined): ((path: string) => boolean) | undefined {
  if (!sources || sources.length === 0) return undefined;
  const patterns = sources.map(compilePattern);
  return (path) => {
    const bare = path.slice(0, MAX_PATH_LENGTH - 1);
    return patterns.some((pattern) => pattern.test(bare) || pattern.test(`/${bare}`));
  };
}
