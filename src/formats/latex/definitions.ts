import type { Source } from './source.ts';

/** A macro or environment that the document defines. */
export interface Macro {
  body: string;
  /** Number of places in the body where an argument may be inserted. */
  insertions: number;
  /** Code at the end of an environment. */
  end?: string;
  argumentCount: number;
  /** Default of the first argument, which is then optional. */
  optional?: string | undefined;
}

export interface Definitions {
  macros: Map<string, Macro>;
  environments: Map<string, Macro>;
  /** Titles of theorem-like environments, such as "Lemma". */
  theorems: Map<string, string>;
}

const MACRO_COMMANDS = new Set(['newcommand', 'renewcommand', 'providecommand', 'DeclareRobustCommand']);
const ENVIRONMENT_COMMANDS = new Set(['newenvironment', 'renewenvironment']);
const DEFINING = new Set([
  ...MACRO_COMMANDS,
  ...ENVIRONMENT_COMMANDS,
  'def',
  'gdef',
  'edef',
  'xdef',
  'newtheorem',
  'DeclareMathOperator',
  'NewDocumentCommand',
  'RenewDocumentCommand',
]);

/** Commands whose meaning the parser knows. Definitions of the document must not replace them. */
const FIXED =
  /^(?:the[a-zA-Z]+|(?:sub){0,2}section|(?:sub)?paragraph|chapter|part|title|author|date|maketitle|item|caption|footnote|cite[a-z]*|ref|label|begin|end|emph|text(?:bf|it|tt|rm|sf|sc)|[a-z]+mark|[a-z]+name|bibitem|input|include|newblock|[^a-zA-Z])$/;

export const isDefinition = (command: string): boolean => DEFINING.has(command);

/**
 * Reads the definition that follows the command and adds it. Definitions in a form that is not understood are
 * skipped.
 */
export function readDefinition(command: string, source: Source, definitions: Definitions): void {
  if (command.endsWith('def')) readPlainDefinition(source, definitions);
  else if (command === 'newtheorem') readTheorem(source, definitions);
  else if (command.endsWith('DocumentCommand')) readDocumentCommand(source, definitions);
  else {
    source.skipStar();
    const name = readName(source);
    if (command === 'DeclareMathOperator') {
      const body = source.readGroup() ?? '';
      addMacro(definitions, name, { body: `\\operatorname{${body}}`, argumentCount: 0 });
      return;
    }
    const argumentCount = Math.min(9, Number(source.readOption() ?? 0) || 0);
    const optional = source.readOption();
    const body = source.readGroup();
    if (body === undefined) return;
    if (MACRO_COMMANDS.has(command)) addMacro(definitions, name, { body, argumentCount, optional });
    else {
      const end = source.readGroup() ?? '';
      definitions.environments.set(name, countInsertions({ body, end, argumentCount, optional }));
    }
  }
}

const readName = (source: Source): string => (source.readArgument() ?? '').trim().replace(/^\\/, '');

function addMacro(definitions: Definitions, name: string, macro: Omit<Macro, 'insertions'>): void {
  if (name !== '' && !FIXED.test(name)) definitions.macros.set(name, countInsertions(macro));
}

const countInsertions = (macro: Omit<Macro, 'insertions'>): Macro => ({
  ...macro,
  insertions: macro.body.split('#').length - 1,
});

function readPlainDefinition(source: Source, definitions: Definitions): void {
  const name = readName(source);
  const parameters = source.readUntilBrace();
  const body = source.readGroup();
  if (body === undefined) return;
  // Parameters with delimiters, such as `#1.#2;`, are too rare to be worth their rules.
  if (/^(?:#\d){0,9}$/.test(parameters.replace(/\s/g, ''))) {
    addMacro(definitions, name, { body, argumentCount: parameters.split('#').length - 1 });
  }
}

function readTheorem(source: Source, definitions: Definitions): void {
  source.skipStar();
  const name = source.readGroup() ?? '';
  source.readOption();
  const title = source.readGroup() ?? '';
  source.readOption();
  if (name !== '') definitions.theorems.set(name, title);
}

function readDocumentCommand(source: Source, definitions: Definitions): void {
  const name = readName(source);
  const parameters = (source.readGroup() ?? '').replace(/\s/g, '');
  const body = source.readGroup();
  if (body === undefined) return;
  const optional = /^O\{([^{}]*)\}/.exec(parameters)?.[1] ?? (parameters.startsWith('o') ? '' : undefined);
  const mandatory = parameters.replace(/^(?:o|O\{[^{}]*\})/, '');
  if (!/^m{0,8}$/.test(mandatory)) return;
  const argumentCount = mandatory.length + (optional === undefined ? 0 : 1);
  addMacro(definitions, name, { body, argumentCount, optional });
}
