import { compilePattern } from '#src/lib/text/pattern.ts';

interface Wishes {
  required_exts?: string[] | null | undefined;
  include_path_patterns?: string[] | null | undefined;
  exclude_path_patterns?: string[] | null | undefined;
}

/** Of a path, for which a pattern of any size is still matched; a path over there has at most 400 characters. */
const LONGEST = 10_000;

/** Tells of a path, from the root of the drive to the name, whether the settings want the file. */
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

/** Whether one of the patterns is found; they may take the path to begin with a slash or without. */
function matcherOf(sources: string[] | null | undefined): ((path: string) => boolean) | undefined {
  if (!sources || sources.length === 0) return undefined;
  const patterns = sources.map(compilePattern);
  return (path) => {
    const bare = path.slice(0, LONGEST - 1);
    return patterns.some((pattern) => pattern.test(bare) || pattern.test(`/${bare}`));
  };
}
