/** Extensions that stand for well-known files of source code, by their names in lower case. */
const EXTENSIONS_BY_NAME = new Map([
  ['dockerfile', 'dockerfile'],
  ['containerfile', 'dockerfile'],
  ['makefile', 'mk'],
  ['gnumakefile', 'mk'],
  ['cmakelists.txt', 'cmake'],
  ['jenkinsfile', 'groovy'],
  ['gemfile', 'rb'],
  ['rakefile', 'rb'],
  ['vagrantfile', 'rb'],
]);

/**
 * Returns the extension of a file name, in lower case and without the dot. Files such as "Makefile", whose name
 * tells the language, have the extension of that language. Returns '' if there is no extension.
 */
export function readExtension(name: string): string {
  const file = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  return EXTENSIONS_BY_NAME.get(file) ?? /\.([a-z0-9]+)$/.exec(file)?.[1] ?? '';
}
