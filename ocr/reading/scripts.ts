/**
 * Models by script, in the order in which they are tried if the pages' language is unknown. Of each script,
 * the first installed model represents the others.
 */
const SCRIPTS: readonly (readonly string[])[] = [
  ['eng', 'deu', 'fra', 'spa', 'ita', 'por', 'nld', 'pol'],
  ['chi_sim', 'chi_tra'],
  ['rus', 'ukr', 'bul', 'srp', 'bel'],
  ['ara', 'fas', 'urd'],
  ['jpn'],
  ['kor'],
  ['hin', 'mar', 'nep', 'san'],
  ['heb'],
  ['ell'],
  ['tha'],
  ['ben'],
  ['tam'],
  ['tel'],
  ['kan'],
];

/** Returns one installed model for each script, except for the script of `known`. */
export function listScriptModels(installed: readonly string[], known: string): string[] {
  return SCRIPTS.filter((models) => !models.includes(known)).flatMap(
    (models) => models.find((model) => installed.includes(model)) ?? [],
  );
}

const WITHOUT_SPACES = ['chi_sim', 'chi_tra', 'jpn', 'tha'];

/** Returns whether the languages of the models separate words by spaces. */
export const hasSpaces = (models: string): boolean =>
  !models.split('+').some((model) => WITHOUT_SPACES.includes(model));
