import { registerHooks } from 'node:module';

/** Part of the built-in extractor that can be switched off at run time. */
export interface Reader {
  /** Module in src/builtin/extraction that contains the functions, without `.ts`. */
  module: string;
  /**
   * Functions of the reader, each with the expression that is returned instead. In the expression, `own` is
   * the original function and `args` are its arguments.
   */
  instead: Record<string, string>;
}

const FOLDER = '/src/builtin/extraction/';
const off = new Set<string>();
Object.assign(globalThis, { isSwitchedOff: (reader: string) => off.has(reader) });

/**
 * Makes the readers switchable by rewriting their modules when they are loaded, because the extractor itself
 * has no switches. Must be called before anything imports the extractor.
 */
export function makeSwitchable(readers: Record<string, Reader>): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const module = url.split(FOLDER)[1]?.replace(/\.ts$/, '');
      if (module === undefined) return loaded;
      let source = String(loaded.source);
      for (const [name, reader] of Object.entries(readers)) {
        if (reader.module !== module) continue;
        for (const [own, instead] of Object.entries(reader.instead))
          source = wrap(source, name, own, instead);
      }
      return { ...loaded, source };
    },
  });
}

/** Switches off exactly the named readers. */
export function switchOff(...readers: string[]): void {
  off.clear();
  for (const reader of readers) off.add(reader);
}

function wrap(source: string, reader: string, name: string, instead: string): string {
  const whole = `${name}_of_${reader.replace(/\W/g, '_')}`;
  const declared = new RegExp(`^(export )?(?:function\\*? ${name}\\b|const ${name}\\b)`, 'm');
  const match = declared.exec(source);
  if (!match)
    throw new Error(
      `The reader "${reader}" no longer has a function ${name}. Correct bench/builtin/readers.ts.`,
    );
  const renamed = source.replace(declared, (found) => found.replace('export ', '').replace(name, whole));
  return `${renamed}
${match[1] ?? ''}function ${name}(...args) {
  const own = ${whole};
  return globalThis.isSwitchedOff(${JSON.stringify(reader)}) ? (${instead}) : own(...args);
}
`;
}
